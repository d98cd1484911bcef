//! The words of a deserializer for people who do not know Rust's types.

/// Types and other names that serde uses, and their names for people.
const TYPES: [(&str, &str); 17] = [
    ("f32", "a number"),
    ("f64", "a number"),
    ("u8", "a whole number, 0 or more"),
    ("u16", "a whole number, 0 or more"),
    ("u32", "a whole number, 0 or more"),
    ("u64", "a whole number, 0 or more"),
    ("usize", "a whole number, 0 or more"),
    ("i32", "a whole number"),
    ("i64", "a whole number"),
    ("isize", "a whole number"),
    ("a nonzero u32", "a whole number, 1 or more"),
    ("a nonzero usize", "a whole number, 1 or more"),
    ("a boolean", "true or false"),
    ("a string", "a text in quotation marks"),
    ("a sequence", "a list"),
    ("a map", "an object with fields"),
    ("string or table", "a text in quotation marks, or a table"),
];

/// Returns the message of an error of a deserializer in words: `"soon" is not a number` for
/// `invalid type: string "soon", expected f64`. What stands before such words, as the name of a field, stays.
pub fn in_words(message: &str) -> String {
    for lead in ["invalid type: ", "invalid value: "] {
        if let Some((before, rest)) = message.split_once(lead)
            && let Some((given, expected)) = rest.rsplit_once(", expected ")
        {
            return format!("{before}{} is not {}", given_in_words(given), expected_in_words(expected));
        }
    }
    if let Some(rest) = message.strip_prefix("invalid length ")
        && let Some((given, expected)) = rest.split_once(", expected ")
    {
        return format!("{given} items are not {}", expected_in_words(expected));
    }
    if let Some(rest) = message.strip_prefix("unknown variant ")
        && let Some((given, allowed)) = rest.split_once(", expected ")
    {
        let allowed = allowed.strip_prefix("one of ").unwrap_or(allowed);
        return format!("there is no {given}; allowed: {allowed}");
    }
    if message.starts_with("EOF while parsing") {
        return "it ends before the JSON is whole".to_owned();
    }
    message.to_owned()
}

/// Returns what was given, as its author wrote it.
fn given_in_words(given: &str) -> String {
    let named = ["string ", "integer ", "floating point ", "boolean ", "character "];
    if let Some(value) = named.iter().find_map(|kind| given.strip_prefix(kind)) {
        return value.to_owned();
    }
    match given {
        "map" | "struct" => "an object".to_owned(),
        "sequence" => "a list".to_owned(),
        "null" | "unit value" => "null".to_owned(),
        other => other.to_owned(),
    }
}

fn expected_in_words(expected: &str) -> String {
    if let Some((_, words)) = TYPES.iter().find(|(name, _)| *name == expected) {
        return (*words).to_owned();
    }
    if expected.starts_with("struct ") || expected.starts_with("internally tagged enum ") {
        return "an object with fields".to_owned();
    }
    expected.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_variants_are_named_for_people() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        enum Kind {
            Event,
            Chat,
        }
        let told = |json: &str| {
            let error = crate::jsonl::parse::<f64>(json).unwrap_err();
            in_words(&error.words())
        };
        assert_eq!(told("\"soon, expected late\""), "\"soon, expected late\" is not a number");
        assert_eq!(told("[1]"), "a list is not a number");
        assert_eq!(told("null"), "null is not a number");
        let error = crate::jsonl::parse::<Kind>("\"dream\"").unwrap_err();
        assert_eq!(in_words(&error.words()), "there is no `dream`; allowed: `event` or `chat`");
        let error = crate::jsonl::parse::<Vec<bool>>("[true").unwrap_err();
        assert_eq!(in_words(&error.words()), "it ends before the JSON is whole");
        assert_eq!(in_words("missing field `npc`"), "missing field `npc`");
    }
}
