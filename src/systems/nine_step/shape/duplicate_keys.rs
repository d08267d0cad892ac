//! Finds duplicate keys: the parser silently keeps the last value, and a file with such a key is never written.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::systems::nine_step::shape::shown;

/// A key that occurs twice in one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Duplicate {
    /// The key.
    pub(crate) key: String,
    /// Its first value, as written and shortened.
    pub(crate) first: String,
    /// The value that counts.
    pub(crate) second: String,
}

/// The keys that occur twice, in the order of the file; nothing for text that is not JSON.
pub(crate) fn find(bytes: &[u8]) -> Vec<Duplicate> {
    let mut found = Vec::new();
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    match (Seed { found: &mut found }).deserialize(&mut reader) {
        Ok(_) => found,
        Err(_) => Vec::new(),
    }
}

/// Builds a value and notes the keys that were there already.
struct Seed<'a> {
    found: &'a mut Vec<Duplicate>,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(Seed { found: self.found })? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            let value = object.next_value_seed(Seed { found: self.found })?;
            let second = shown(&value);
            if let Some(first) = map.insert(key.clone(), value) {
                self.found.push(Duplicate {
                    key,
                    first: shown(&first),
                    second,
                });
            }
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_keys_that_occur_twice_at_any_depth() {
        let keys = |text: &str| -> Vec<(String, String, String)> {
            find(text.as_bytes())
                .into_iter()
                .map(|t| (t.key, t.first, t.second))
                .collect()
        };
        assert_eq!(keys(r#"{"a":1,"b":{"a":1}}"#), []);
        assert_eq!(
            keys(r#"{"a":1,"x":[{"b":"p","b":[2]}],"a":null}"#),
            [
                ("b".into(), "\"p\"".into(), "[2]".into()),
                ("a".into(), "1".into(), "null".into())
            ]
        );
        assert_eq!(keys(r#"{"a":1,"a":"#), []);
    }
}
