//! Filter for operational lines.

use nightfold_memory::LanguagePack;

/// Keywords prepared for matching against signatures.
pub(super) struct OperationalFilter {
    /// Keywords in base form, each with a space before and after it.
    keywords: Vec<String>,
}

impl OperationalFilter {
    /// Prepares the keywords. They may consist of several words; case and plurals do not matter.
    pub(super) fn new(keywords: &[String], pack: &dyn LanguagePack) -> Self {
        let stemmed = |keyword: &String| {
            let words: Vec<String> = keyword.split_whitespace().map(|word| pack.base_form(word)).collect();
            format!(" {} ", words.join(" "))
        };
        Self { keywords: keywords.iter().map(stemmed).collect() }
    }

    /// True if a signature has a keyword **and** a number or a date: "the gateway is down" is news, not a
    /// reading.
    pub(super) fn matches(&self, signature: &str) -> bool {
        let ephemeral = signature.contains("<num>") || signature.contains("<datetime>");
        let padded = format!(" {signature} ");
        ephemeral && self.keywords.iter().any(|keyword| padded.contains(keyword))
    }
}
