//! Finds keys that occur twice in one object. Such a file says two things at once: it is read (the last
//! one counts) and never written (safety.md A3).

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The most paths that are reported.
const CAP: usize = 20;

/// The paths of keys that occur twice, in order; empty for text that is not JSON.
pub(crate) fn keys(bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut json = serde_json::Deserializer::from_slice(body);
    let walk = Walk {
        path: "",
        found: &mut found,
    };
    if walk.deserialize(&mut json).is_err() {
        return Vec::new();
    }
    found
}

struct Walk<'a> {
    path: &'a str,
    found: &'a mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

macro_rules! scalars {
    ($($visit:ident: $kind:ty),*) => {$(
        fn $visit<E>(self, _: $kind) -> Result<(), E> {
            Ok(())
        }
    )*};
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    scalars!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut index = 0_usize;
        loop {
            let path = format!("{}[{index}]", self.path);
            let walk = Walk {
                path: &path,
                found: self.found,
            };
            if list.next_element_seed(walk)?.is_none() {
                return Ok(());
            }
            index += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            let path = if self.path.is_empty() {
                key.clone()
            } else {
                format!("{}.{key}", self.path)
            };
            if !seen.insert(key) && self.found.len() < CAP {
                self.found.push(path.clone());
            }
            if path.len() > 4096 {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            map.next_value_seed(Walk {
                path: &path,
                found: self.found,
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_repeated_keys_at_every_depth() {
        let table: [(&str, &[&str]); 5] = [
            (r#"{"a":1,"b":{"a":2}}"#, &[]),
            (r#"{"a":1,"a":2}"#, &["a"]),
            (r#"{"stages":[{"x":1},{"id":1,"id":2}]}"#, &["stages[1].id"]),
            ("not json", &[]),
            (r#"{"a":1e-6,"b":null,"c":[true,-1]}"#, &[]),
        ];
        for (text, found) in table {
            assert_eq!(keys(text.as_bytes()), found, "{text}");
        }
    }
}
