//! Cache of claims for texts that are compared with many others: reading a text is costly.

use std::collections::BTreeMap;

use nightfold_memory::{FactRules, Judgement};

use super::{
    claim::{Claim, claims, claims_without_reason, reported_claims, sentences},
    judge_claims,
    opener::{SentenceOpener, with_decisions},
};
use crate::text::{Spelling, read_tokens};

/// Claims of texts, kept while the texts are compared with each other.
#[derive(Default)]
pub(crate) struct ClaimCache<'t> {
    indices: BTreeMap<&'t str, usize>,
    texts: Vec<CachedText<'t>>,
}

/// One text and its claims. The spelling of another text only decides which words at the start of a sentence
/// are names, so there is one set of claims for each such decision.
struct CachedText<'t> {
    text: &'t str,
    spelling: Spelling,
    openers: Vec<SentenceOpener>,
    claims_by_names: Vec<(Vec<bool>, TextClaims)>,
}

/// Claims of a text.
pub(super) struct TextClaims {
    /// Claims as written, followed by reported claims and claims without their reason.
    all_claims: Vec<Claim>,
    /// Number of claims as written.
    as_written_count: usize,
}

impl TextClaims {
    pub(super) fn of(text: &str, spelling: &Spelling) -> Self {
        let sentences = sentences(text);
        let mut all_claims = claims(&sentences, spelling);
        let as_written_count = all_claims.len();
        all_claims.extend(reported_claims(&sentences, spelling));
        all_claims.extend(claims_without_reason(&sentences, spelling));
        Self { all_claims, as_written_count }
    }

    /// Returns the claims as written.
    pub(super) fn claims_as_written(&self) -> &[Claim] {
        &self.all_claims[..self.as_written_count]
    }

    /// Returns the claims as written, reported claims and claims without their reason.
    pub(super) fn claims_with_reported(&self) -> &[Claim] {
        &self.all_claims
    }
}

impl<'t> FactRules<'t> for ClaimCache<'t> {
    fn judge(&mut self, a: &'t str, b: &'t str, cosine: f64) -> Judgement {
        let (a, b) = (a.trim().min(b.trim()), a.trim().max(b.trim()));
        if a == b {
            return Judgement::of_equal_words();
        }
        let (x, y) = self.claims_of_pair(a, b);
        judge_claims(x, y, cosine)
    }
}

impl<'t> ClaimCache<'t> {
    fn claims_of_pair(&mut self, a: &'t str, b: &'t str) -> (&TextClaims, &TextClaims) {
        let (first, second) = (self.index_of(a), self.index_of(b));
        let (x, y) = (self.read_beside(first, second), self.read_beside(second, first));
        (&self.texts[first].claims_by_names[x].1, &self.texts[second].claims_by_names[y].1)
    }

    fn index_of(&mut self, text: &'t str) -> usize {
        let texts = &mut self.texts;
        *self.indices.entry(text).or_insert_with(|| {
            let tokens = read_tokens(text);
            let spelling = Spelling::of(std::iter::empty(), &tokens);
            texts.push(CachedText {
                text,
                openers: SentenceOpener::all(tokens),
                spelling,
                claims_by_names: Vec::new(),
            });
            texts.len() - 1
        })
    }

    /// Returns the index of the claims of text `of` when read together with text `beside`.
    fn read_beside(&mut self, of: usize, beside: usize) -> usize {
        let (one, other) = (&self.texts[of], &self.texts[beside].spelling);
        let names: Vec<bool> = one.openers.iter().map(|o| o.is_name(&one.spelling, other)).collect();
        if let Some(at) = one.claims_by_names.iter().position(|(known, _)| *known == names) {
            return at;
        }
        let spelling = with_decisions(&one.spelling, one.openers.iter().zip(&names));
        let read = TextClaims::of(one.text, &spelling);
        let reading = &mut self.texts[of].claims_by_names;
        reading.push((names, read));
        reading.len() - 1
    }
}
