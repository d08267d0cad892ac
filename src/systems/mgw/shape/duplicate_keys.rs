//! Duplicate keys. A reader silently takes the last value, so such a file is never written; both values are shown.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// A key that occurs twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Duplicate {
    pub(crate) key: String,
    pub(crate) first: String,
    pub(crate) second: String,
}

/// The most that are reported of one file.
const KEPT: usize = 20;

/// Every key that occurs twice in its object, at any depth.
pub(crate) fn duplicate_keys(bytes: &[u8]) -> Vec<Duplicate> {
    let found = RefCell::new(Vec::new());
    let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = serde_json::Deserializer::from_slice(body);
    // A file that is not JSON has been reported as such; what was found before the error still counts.
    drop(Seed(&found).deserialize(&mut reader));
    found.into_inner()
}

#[derive(Clone, Copy)]
struct Seed<'a>(&'a RefCell<Vec<Duplicate>>);

/// A value in a few words.
type Brief = String;

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Brief;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Brief, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Brief;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Brief, E> {
        Ok(value.to_string())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Brief, E> {
        Ok(value.to_string())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Brief, E> {
        Ok(value.to_string())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Brief, E> {
        Ok(value.to_string())
    }

    fn visit_str<E>(self, value: &str) -> Result<Brief, E> {
        Ok(value.chars().take(60).collect())
    }

    fn visit_unit<E>(self) -> Result<Brief, E> {
        Ok("null".to_owned())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Brief, A::Error> {
        let mut count = 0_usize;
        while items.next_element_seed(self)?.is_some() {
            count += 1;
        }
        Ok(format!("a list of {count}"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Brief, A::Error> {
        let mut seen: HashMap<String, Brief> = HashMap::new();
        while let Some(key) = members.next_key::<String>()? {
            let value = members.next_value_seed(self)?;
            if let Some(first) = seen.insert(key.clone(), value.clone()) {
                let mut found = self.0.borrow_mut();
                if found.len() < KEPT {
                    found.push(Duplicate {
                        key,
                        first,
                        second: value,
                    });
                }
            }
        }
        Ok("an object".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_keys_that_occur_twice_at_any_depth_and_shows_both_values() {
        let seen =
            duplicate_keys(br#"{"a":1,"b":{"c":null,"c":[1,2]},"d":[{"e":"x","e":{}}],"a":true}"#);
        let words: Vec<(&str, &str, &str)> = seen
            .iter()
            .map(|t| (t.key.as_str(), t.first.as_str(), t.second.as_str()))
            .collect();
        assert_eq!(
            words,
            [
                ("c", "null", "a list of 2"),
                ("e", "x", "an object"),
                ("a", "1", "true")
            ]
        );
        assert_eq!(duplicate_keys(br#"{"a":{"b":1},"b":{"a":1}}"#), []);
        assert_eq!(duplicate_keys(b"{\"a\":1,\"a\":").len(), 0);
    }
}
