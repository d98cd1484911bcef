//! Recognition of files that hold no JSON Lines.

/// Kind of a file in words, and what to do with one.
pub(super) struct Found {
    pub(super) what: String,
    pub(super) hint: &'static str,
}

/// Returns what begins with these bytes, if it is known and no JSON Lines.
pub(super) fn named(head: &[u8]) -> Option<Found> {
    let found = |what: &str, hint| Some(Found { what: what.to_owned(), hint });
    if let Some(kind) = infer::get(head) {
        let what = format!("a file of the type {}", kind.mime_type());
        let hint = match kind.extension() {
            "gz" | "zst" | "xz" | "bz2" => "unpack it, as by `zcat FILE | nightfold sleep -`",
            "sqlite" => "a store is named with --store; memories in it are printed by `nightfold export`",
            _ => "name the file that holds the memories",
        };
        return Some(Found { what, hint });
    }
    let Ok(text) = std::str::from_utf8(head).or_else(|error| {
        // The buffer may end within a letter.
        std::str::from_utf8(head.get(..error.valid_up_to()).unwrap_or_default())
    }) else {
        return None;
    };
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let first = text.lines().next().unwrap_or_default().trim_end();
    match first.chars().next()? {
        '[' => {
            found("one JSON array", "a line for each of its items: `jq -c '.[]' FILE | nightfold sleep -`")
        }
        '{' if first == "{" || (!first.ends_with('}') && text.lines().nth(1).is_some_and(is_of_object)) => {
            found("JSON over several lines", "one line for each object: `jq -c . FILE | nightfold sleep -`")
        }
        '{' => None,
        '<' => found("HTML or XML", "name the file that holds the memories"),
        _ if first.split([',', ';', '\t']).count() > 2 => found(
            "a table of comma-separated values or the like",
            "an object for each row, with the names of its columns: `jq -R` or a few lines of Python make them",
        ),
        _ => None,
    }
}

/// True for a line as it stands inside an object that is written over several lines.
fn is_of_object(line: &str) -> bool {
    line.trim_start().starts_with('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_kinds_are_named_and_lines_are_not() {
        let what = |head: &[u8]| named(head).map(|found| found.what);
        assert_eq!(what(b"\x89PNG\r\n\x1a\n....").as_deref(), Some("a file of the type image/png"));
        assert_eq!(what(b"\x1f\x8b\x08\0\0").as_deref(), Some("a file of the type application/gzip"));
        assert_eq!(what(b"\xef\xbb\xbf [\n {}]").as_deref(), Some("one JSON array"));
        assert_eq!(what(b"{\n  \"id\": 1\n}").as_deref(), Some("JSON over several lines"));
        assert_eq!(what(b"{\"id\": 1,\n \"npc\": \"a\"}").as_deref(), Some("JSON over several lines"));
        assert!(what(b"id,npc,at\n1,Mara,5\n").unwrap().starts_with("a table"));
        for lines in [
            &b"{\"id\":\"a\"}\n{\"id\":\"b\"}\n"[..],
            b"",
            b"\n\n{\"id\":\"a\"}",
            b"not json\n",
            b"{\"id\":\"c\",",
        ] {
            assert_eq!(what(lines), None);
        }
    }
}
