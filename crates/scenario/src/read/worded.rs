//! What the readers of TOML and JSON say, in words for who wrote the file, with the nearest right spelling.

use crate::{mistake::Mistake, nearest::nearest};

/// How many allowed names are listed.
const LISTED: usize = 40;

/// A reader's message, told apart.
pub(crate) struct Worded {
    what: String,
    label: String,
    help: Option<String>,
}

impl Worded {
    pub(crate) fn what(&self) -> &str {
        &self.what
    }

    pub(crate) fn give(self, mistake: Mistake) -> Mistake {
        let mistake = mistake.label(self.label);
        match self.help {
            Some(help) => mistake.help(help),
            None => mistake,
        }
    }
}

/// The words in backquotes: serde names what it was given first, then what it allows.
fn quoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

/// Puts a reader's message into words.
pub(crate) fn worded(message: &str) -> Worded {
    let unknown = |what: &str, none: &str| {
        let names = quoted(message);
        let (given, allowed) = names.split_first().map_or(("", &[][..]), |(given, rest)| (*given, rest));
        Worded {
            what: format!("{what} `{given}`{none}"),
            label: meant(given, allowed),
            help: allowed_only(allowed),
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
    Worded { what, label: String::new(), help: None }
}

/// `did you mean …?`, or nothing.
pub(crate) fn meant<S: AsRef<str>>(given: &str, allowed: &[S]) -> String {
    nearest(given, allowed).map_or_else(String::new, |near| format!("did you mean `{}`?", near.as_ref()))
}

/// `allowed: …`, or nothing where nothing is.
pub(crate) fn allowed_only<S: AsRef<str>>(allowed: &[S]) -> Option<String> {
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
