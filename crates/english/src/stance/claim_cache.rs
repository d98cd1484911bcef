//! Cache of claims for texts that are compared with many others: reading a text is costly.

use std::collections::BTreeMap;

use nightfold_memory::{FactRules, Judgement};

use super::{
    claim::{Claim, claims, claims_without_reason, reported_claims, sentences},
    judge_claims,
};
use crate::text::{Spelling, tokens};

/// Claims of texts, kept while the texts are compared with each other.
#[derive(Default)]
pub(crate) struct ClaimCache<'t>(BTreeMap<&'t str, TextClaims>);

/// Claims of a text.
pub(super) struct TextClaims {
    /// Claims as written, followed by reported claims and claims without their reason.
    all_claims: Vec<Claim>,
    /// Number of claims as written.
    as_written_count: usize,
}

impl TextClaims {
    pub(super) fn of(text: &str) -> Self {
        let spelling = Spelling::of(std::iter::empty(), &*tokens(text));
        let sentences = sentences(text);
        let mut all_claims = claims(&sentences, &spelling);
        let as_written_count = all_claims.len();
        all_claims.extend(reported_claims(&sentences, &spelling));
        all_claims.extend(claims_without_reason(&sentences, &spelling));
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
        for text in [a, b] {
            self.0.entry(text).or_insert_with(|| TextClaims::of(text));
        }
        judge_claims(&self.0[a], &self.0[b], cosine)
    }
}
