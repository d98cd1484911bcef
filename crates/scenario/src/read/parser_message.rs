//! Messages of the TOML and JSON parsers, rephrased for the author of the file, with spelling suggestions.

use crate::{diagnostic::Diagnostic, nearest::nearest};

/// Number of allowed names that are listed.
const LISTED: usize = 40;

/// Message of a parser, split into description, label and help.
pub(crate) struct ParserMessage {
    what: String,
    label: String,
    help: Option<String>,
}

impl ParserMessage {
    pub(crate) fn what(&self) -> &str {
        &self.what
    }

    pub(crate) fn apply_to(self, diagnostic: Diagnostic) -> Diagnostic {
        let diagnostic = diagnostic.label(self.label);
        match self.help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

/// Returns the words in backquotes: serde first names the given one, then the allowed ones.
fn quoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

/// Rephrases a parser's message.
pub(crate) fn rephrase(message: &str) -> ParserMessage {
    let unknown = |what: &str, none: &str| {
        let names = quoted(message);
        let (given, allowed) = names.split_first().map_or(("", &[][..]), |(given, rest)| (*given, rest));
        ParserMessage {
            what: format!("{what} `{given}`{none}"),
            label: did_you_mean(given, allowed),
            help: allowed_list(allowed),
        }
    };
    if message.starts_with("unknown field") {
        return unknown("there is no key", " here");
    }
    if message.starts_with("unknown variant") {
        return unknown("there is no", " here");
    }
    let what = match message.strip_prefix("missing field ") {
        Some(field) => format!("the key {field} is missing"),
        None => message.to_owned(),
    };
    ParserMessage { what, label: String::new(), help: None }
}

/// Returns `did you mean …?`, or an empty text.
pub(crate) fn did_you_mean<S: AsRef<str>>(given: &str, allowed: &[S]) -> String {
    nearest(given, allowed).map_or_else(String::new, |near| format!("did you mean `{}`?", near.as_ref()))
}

/// Returns `allowed: …`, or `None` if nothing is allowed.
pub(crate) fn allowed_list<S: AsRef<str>>(allowed: &[S]) -> Option<String> {
    if allowed.is_empty() {
        return None;
    }
    let listed: Vec<String> = allowed.iter().take(LISTED).map(|a| format!("`{}`", a.as_ref())).collect();
    let more = match allowed.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("allowed: {}{more}", listed.join(", ")))
}
