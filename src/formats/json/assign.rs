//! Parses `key=value` from a command line.

use serde_json::{Map, Value};

use super::at_keys;

/// Why a pair was not assigned, as a sentence.
#[derive(Debug)]
pub enum BadPair {
    /// It is no pair of a key and a value.
    Form(String),
    /// The value is one that is never written.
    Value(String),
}

impl From<String> for BadPair {
    fn from(text: String) -> Self {
        Self::Form(text)
    }
}

/// Assigns `key=value` or `key:=JSON` in an object; dots in a key name nested members. A value that parses as a JSON
/// number, true, false, null, list or object has that type, any other is a string. So is a number that would be written
/// with other characters (`7375e96` is the id of a commit), and what replaces a string of `like`: an id may have digits
/// only.
pub fn assign(
    object: &mut Map<String, Value>,
    typed: &str,
    like: &Map<String, Value>,
) -> Result<(), BadPair> {
    let (key, text) = typed
        .split_once('=')
        .ok_or_else(|| format!("{typed} is not KEY=VALUE."))?;
    let (key, is_json) = match key.strip_suffix(':') {
        Some(key) => (key, true),
        None => (key, false),
    };
    if text.parse::<f64>().is_ok_and(|number| !number.is_finite()) {
        return Err(BadPair::Value(format!("{key} is not a finite number.")));
    }
    let json = serde_json::from_str::<Value>(text).ok();
    let value = if is_json {
        json.ok_or_else(|| format!("{key}:= needs JSON."))?
    } else {
        let stays = |value: &Value| {
            let written = value.to_string();
            !value.is_number() || written == text
        };
        let steps: Vec<&str> = key.split('.').collect();
        let is_text = at_keys(like, &steps).is_some_and(Value::is_string);
        let typed = json.filter(|value| !is_text && !value.is_string() && stays(value));
        typed.unwrap_or_else(|| text.into())
    };
    let mut steps = key.split('.');
    let last = steps.next_back().unwrap_or_default();
    if key.split('.').any(str::is_empty) {
        return Err(format!("{typed} has an empty key.").into());
    }
    let mut at = object;
    for step in steps {
        let inner = at.entry(step).or_insert_with(|| Value::Object(Map::new()));
        at = inner
            .as_object_mut()
            .ok_or_else(|| format!("{step} of {key} already has a value."))?;
    }
    at.insert(last.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn all(typed: &[&str]) -> Result<Value, BadPair> {
        let mut object = Map::new();
        for one in typed {
            assign(&mut object, one, &Map::new())?;
        }
        Ok(Value::Object(object))
    }

    #[test]
    fn a_string_is_replaced_by_a_string() {
        let like = json!({"id": "4", "n": 4, "a": {"id": "07"}});
        let mut object = Map::new();
        for typed in ["id=12", "n=12", "a.id=12", "new=12", "a.n=true"] {
            assign(&mut object, typed, like.as_object().unwrap()).unwrap();
        }
        let read = Value::Object(object);
        assert_eq!(
            read,
            json!({"id": "12", "n": 12, "a": {"id": "12", "n": true}, "new": 12})
        );
        let mut object = Map::new();
        assign(&mut object, "id:=12", like.as_object().unwrap()).unwrap();
        assert_eq!(object.get("id"), Some(&json!(12)), "JSON is forced");
    }

    #[test]
    fn a_value_has_the_type_it_parses_as() {
        let read = all(&[
            "n=3",
            "f=2.5",
            "t=true",
            "z=null",
            "l=[1,2]",
            "s=4 items",
            "e=",
            "v=a=b",
            "f:=\"7\"",
            "q=\"x\"",
        ]);
        assert_eq!(
            read.unwrap(),
            json!({"n": 3, "f": "7", "t": true, "z": null, "l": [1, 2], "s": "4 items", "e": "", "v": "a=b", "q": "\"x\""})
        );
        assert_eq!(
            all(&["a.b=1", "a.c=x"]).unwrap(),
            json!({"a": {"b": 1, "c": "x"}})
        );
    }

    #[test]
    fn a_number_that_would_be_written_otherwise_stays_as_typed() {
        for typed in [
            "7375e96",
            "12345678901234567890123",
            "1e5",
            "0.10",
            "1.0e0",
            "-0",
            "0.1000000000000000055",
        ] {
            let read = all(&[&format!("k={typed}")]).unwrap();
            assert_eq!(read, json!({"k": typed}));
        }
        for typed in ["7", "-7", "0.1", "2.5", "18446744073709551615", "1.0"] {
            let read = all(&[&format!("k={typed}")]).unwrap();
            assert!(read["k"].is_number(), "{read}");
            assert_eq!(read["k"].to_string(), typed);
        }
        assert!(all(&["k:=1e5"]).unwrap()["k"].is_number());
    }

    #[test]
    fn invalid_assignments_are_refused() {
        for typed in ["x", "=1", "a..b=1", "j:={"] {
            assert!(matches!(all(&[typed]), Err(BadPair::Form(_))), "{typed}");
        }
        for typed in ["n=NaN", "n=1e999", "n=-inf", "n:=1e999", "a.n:=-1e400"] {
            assert!(matches!(all(&[typed]), Err(BadPair::Value(_))), "{typed}");
        }
        assert!(all(&["a=1", "a.b=2"]).is_err());
    }
}
