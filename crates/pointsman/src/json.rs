//! A minimal JSON writer: objects and arrays of numbers and text, which is all that receipts and snapshots need.

use std::fmt::{Display, Write};

/// A JSON object under construction.
pub(crate) struct JsonObject(String);

impl JsonObject {
    pub(crate) fn new() -> JsonObject {
        JsonObject(String::from("{"))
    }

    /// Adds a member whose value is formatted as JSON already, such as a number.
    pub(crate) fn raw(&mut self, name: &str, json: impl Display) -> &mut JsonObject {
        let comma = if self.0.len() > 1 { "," } else { "" };
        // Writing to a string never fails.
        let _ = write!(self.0, "{comma}{}:{json}", quoted(name));
        self
    }

    /// Adds a text member.
    pub(crate) fn text(&mut self, name: &str, text: &str) -> &mut JsonObject {
        self.raw(name, quoted(text))
    }

    /// Adds a member like [`JsonObject::raw`], or null.
    pub(crate) fn optional(&mut self, name: &str, json: Option<impl Display>) -> &mut JsonObject {
        match json {
            Some(json) => self.raw(name, json),
            None => self.raw(name, "null"),
        }
    }

    /// Returns the complete object.
    pub(crate) fn end(&self) -> String {
        format!("{}}}", self.0)
    }
}

/// Returns an array of values that are JSON already.
pub(crate) fn array(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<String> = items.into_iter().collect();
    format!("[{}]", items.join(","))
}

/// Returns text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                // Writing to a string never fails.
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn escaped_text_parses_back() {
        let all: String = (0..0x300u32).filter_map(char::from_u32).chain(['€', '\u{2028}', '🦀']).collect();
        assert_eq!(serde_json::from_str::<String>(&quoted(&all)).unwrap(), all);
        let mut object = JsonObject::new();
        object
            .text(&all, &all)
            .raw("n", 3)
            .optional("none", None::<u32>)
            .raw("list", array(["1".to_string(), quoted("a")]));
        let parsed: serde_json::Value = serde_json::from_str(&object.end()).unwrap();
        assert_eq!(parsed, serde_json::json!({ all.clone(): all, "n": 3, "none": null, "list": [1, "a"] }));
        assert_eq!((JsonObject::new().end(), array([])), ("{}".to_string(), "[]".to_string()));
    }
}
