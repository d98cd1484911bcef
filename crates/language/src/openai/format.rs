//! Response formats: how a schema is requested, and which forms a server turned out to understand.

use std::sync::atomic::{AtomicU8, Ordering};

/// Strictness with which a server enforces a schema, from the strictest to the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Structured {
    /// The answer follows the schema (`response_format: json_schema`).
    JsonSchema,
    /// The answer is some JSON object (`response_format: json_object`).
    JsonObject,
    /// The answer is any text; no `response_format` was sent.
    Text,
}

impl Structured {
    /// Returns the next weaker form; `None` for the weakest.
    pub(super) fn weaker(self) -> Option<Self> {
        match self {
            Self::JsonSchema => Some(Self::JsonObject),
            Self::JsonObject => Some(Self::Text),
            Self::Text => None,
        }
    }
}

/// Choice of the response format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResponseFormat {
    /// The strongest form that the server accepts: a schema, otherwise a JSON object, otherwise any text. The
    /// accepted form is remembered, so that refused forms are tried only once.
    #[default]
    Auto,
    /// Only this form; the call fails if the server does not support it.
    Pinned(Structured),
}

/// Strongest form that the server is not known to refuse; initially the strongest of all.
#[derive(Debug)]
pub(super) struct Understood {
    pinned: Option<Structured>,
    strongest: AtomicU8,
}

const FORMS: [Structured; 3] = [Structured::JsonSchema, Structured::JsonObject, Structured::Text];

impl Understood {
    pub(super) fn new(format: ResponseFormat) -> Self {
        let pinned = match format {
            ResponseFormat::Auto => None,
            ResponseFormat::Pinned(structured) => Some(structured),
        };
        Self { pinned, strongest: AtomicU8::new(0) }
    }

    /// The form of the next request.
    pub(super) fn form(&self) -> Structured {
        self.pinned.unwrap_or_else(|| FORMS[usize::from(self.strongest.load(Ordering::Relaxed))])
    }

    /// The form of the next request, after the server refused this one.
    pub(super) fn instead_of(&self, refused: Structured) -> Option<Structured> {
        if self.pinned.is_some() { None } else { refused.weaker() }
    }

    /// Notes that the server accepted this form, after it refused every stronger one. Returns true if that is
    /// news.
    pub(super) fn took(&self, form: Structured) -> bool {
        let form = form as u8;
        self.pinned.is_none() && self.strongest.fetch_max(form, Ordering::Relaxed) < form
    }
}

/// True if an answer says that the server does not know the requested form.
///
/// Older versions of llama.cpp answer with status 500; then only a word that names the form counts.
pub(super) fn is_refused(status: u16, body: &[u8]) -> bool {
    const NAMES: [&str; 3] = ["response_format", "json_schema", "json_object"];
    const HINTS: [&str; 4] = ["unsupported", "not supported", "structured output", "grammar"];
    let said = String::from_utf8_lossy(body).to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    match status {
        400 | 422 => says(&NAMES) || says(&HINTS),
        500 | 501 => says(&NAMES),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_format_only_gets_weaker() {
        let understood = Understood::new(ResponseFormat::Auto);
        assert_eq!(understood.form(), Structured::JsonSchema);
        assert_eq!(understood.instead_of(Structured::JsonSchema), Some(Structured::JsonObject));
        assert_eq!(understood.instead_of(Structured::Text), None);
        assert!(understood.took(Structured::Text));
        assert!(!understood.took(Structured::JsonObject));
        assert_eq!(understood.form(), Structured::Text);
    }

    #[test]
    fn pinned_response_format_never_changes() {
        let understood = Understood::new(ResponseFormat::Pinned(Structured::JsonObject));
        assert_eq!(understood.form(), Structured::JsonObject);
        assert_eq!(understood.instead_of(Structured::JsonObject), None);
        assert!(!understood.took(Structured::JsonObject), "it was to be no stronger");
    }

    #[test]
    fn refusals_of_a_response_format_are_recognised() {
        for (status, said) in [
            // LM Studio
            (400, r#"{"error":"'response_format.type' must be 'json_schema' or 'text'"}"#),
            // mlx-vlm
            (422, r#"{"detail":"Unsupported response_format type: 'json_object'"}"#),
            // llama.cpp of 2024
            (
                500,
                r#"{"error":{"code":500,"message":"response_format type must be one of \"text\" or \"json_object\", but got: json_schema","type":"server_error"}}"#,
            ),
            (400, "This model does not support structured outputs"),
        ] {
            assert!(is_refused(status, said.as_bytes()), "{said}");
        }
        for (status, said) in [
            (400, "the prompt is too long"),
            (401, "response_format"),
            (500, "unsupported"),
            (503, "json_schema"),
            (400, ""),
        ] {
            assert!(!is_refused(status, said.as_bytes()), "{status} {said}");
        }
    }
}
