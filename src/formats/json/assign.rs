//! Parses `key=value` from a command line.

use serde_json::{Map, Value};

/// Assigns `key=value` or `key:=JSON` in an object; dots in a key name nested members. A value that parses as a JSON
/// number, true, false, null, list or object has that type, any other is a string. The error is a sentence.
pub fn assign(object: &mut Map<String, Value>, typed: &str) -> Result<(), String> {
    let (key, text) = typed
        .split_once('=')
        .ok_or_else(|| format!("{typed} is not KEY=VALUE."))?;
    let (key, value) = match key.strip_suffix(':') {
        Some(key) => {
            let value = serde_json::from_str(text);
            (key, value.map_err(|_bad| format!("{key}:= needs JSON."))?)
        }
        None => (key, guessed(key, text)?),
    };
    let mut steps = key.split('.');
    let last = steps.next_back().unwrap_or_default();
    if key.split('.').any(str::is_empty) {
        return Err(format!("{typed} has an empty key."));
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

fn guessed(key: &str, text: &str) -> Result<Value, String> {
    if text.parse::<f64>().is_ok_and(|number| !number.is_finite()) {
        return Err(format!("{key} is not a finite number."));
    }
    let json = serde_json::from_str(text).ok();
    let json = json.filter(|value: &Value| !value.is_string());
    Ok(json.unwrap_or_else(|| text.into()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn all(typed: &[&str]) -> Result<Value, String> {
        let mut object = Map::new();
        for one in typed {
            assign(&mut object, one)?;
        }
        Ok(Value::Object(object))
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
    fn invalid_assignments_are_refused() {
        for typed in ["x", "=1", "a..b=1", "n=NaN", "n=1e999", "n=-inf", "j:={"] {
            assert!(all(&[typed]).is_err(), "{typed}");
        }
        assert!(all(&["a=1", "a.b=2"]).is_err());
    }
}
