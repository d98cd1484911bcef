//! Cache of claims for texts that are compared with many others: reading a text is costly.

use std::collections::BTreeMap;

use nightfold_memory::{FactRules, Judgement};

use super::{
    claim::{Claim, claims, reported, sentences, unreasoned},
    judge_claims,
    opener::{SentenceOpener, with_decisions},
};
use crate::text::{Spelling, tokens};

/// Claims of texts, kept while the texts are compared with each other.
#[derive(Default)]
pub(crate) struct ClaimCache<'t> {
    places: BTreeMap<&'t str, usize>,
    texts: Vec<Reading<'t>>,
}

/// One text and its claims. The spelling of another text only decides which words at the start of a sentence
/// are names, so there is one set of claims for each such decision.
struct Reading<'t> {
    text: &'t str,
    spelling: Spelling,
    openers: Vec<SentenceOpener>,
    read: Vec<(Vec<bool>, Read)>,
}

/// Claims of a text.
pub(super) struct Read {
    /// Claims as written, followed by reported claims and claims without their reason.
    told: Vec<Claim>,
    /// Number of claims as written.
    own: usize,
}

impl Read {
    pub(super) fn of(text: &str, spelling: &Spelling) -> Self {
        let sentences = sentences(text);
        let mut told = claims(&sentences, spelling);
        let own = told.len();
        told.extend(reported(&sentences, spelling));
        told.extend(unreasoned(&sentences, spelling));
        Self { told, own }
    }

    /// Returns the claims as written.
    pub(super) fn claims(&self) -> &[Claim] {
        &self.told[..self.own]
    }

    /// Returns the claims as written, reported claims and claims without their reason.
    pub(super) fn told(&self) -> &[Claim] {
        &self.told
    }
}

impl<'t> FactRules<'t> for ClaimCache<'t> {
    fn judge(&mut self, a: &'t str, b: &'t str, cosine: f64) -> Judgement {
        let (a, b) = (a.trim().min(b.trim()), a.trim().max(b.trim()));
        if a == b {
            return Judgement::of_equal_words();
        }
        let (x, y) = self.both(a, b);
        judge_claims(x, y, cosine)
    }
}

impl<'t> ClaimCache<'t> {
    fn both(&mut self, a: &'t str, b: &'t str) -> (&Read, &Read) {
        let (first, second) = (self.place(a), self.place(b));
        let (x, y) = (self.read(first, second), self.read(second, first));
        (&self.texts[first].read[x].1, &self.texts[second].read[y].1)
    }

    fn place(&mut self, text: &'t str) -> usize {
        let texts = &mut self.texts;
        *self.places.entry(text).or_insert_with(|| {
            let tokens = tokens(text);
            let spelling = Spelling::of(std::iter::empty(), &tokens);
            texts.push(Reading { text, openers: SentenceOpener::all(tokens), spelling, read: Vec::new() });
            texts.len() - 1
        })
    }

    /// Returns the index of the claims of text `of` when read together with text `beside`.
    fn read(&mut self, of: usize, beside: usize) -> usize {
        let (one, other) = (&self.texts[of], &self.texts[beside].spelling);
        let names: Vec<bool> = one.openers.iter().map(|o| o.is_name(&one.spelling, other)).collect();
        if let Some(at) = one.read.iter().position(|(known, _)| *known == names) {
            return at;
        }
        let spelling = with_decisions(&one.spelling, one.openers.iter().zip(&names));
        let read = Read::of(one.text, &spelling);
        let reading = &mut self.texts[of].read;
        reading.push((names, read));
        reading.len() - 1
    }
}
