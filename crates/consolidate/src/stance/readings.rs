//! Texts that are held against many others: reading one is dear, so each is read as seldom as can be.

use std::collections::BTreeMap;

use super::{
    Judgement,
    claim::{Claim, Opener, Spelling, told},
    contradiction_between,
};

/// What texts claim, kept for as long as they are held against each other.
#[derive(Default)]
pub(crate) struct Readings<'t> {
    places: BTreeMap<&'t str, usize>,
    texts: Vec<Reading<'t>>,
}

/// One text. How another one writes its words can change nothing but whether a word that opens a sentence is a name, so
/// there is one reading for each way in which that falls out.
struct Reading<'t> {
    text: &'t str,
    spelling: Spelling,
    openers: Vec<Opener>,
    read: Vec<(Vec<bool>, Vec<Claim>)>,
}

impl<'t> Readings<'t> {
    /// The contradiction between two texts, if there is one: what [`weigh`](super::weigh) says of them.
    pub(crate) fn contradiction(&mut self, a: &'t str, b: &'t str) -> Option<Judgement> {
        let (first, second) = (self.place(a.min(b)), self.place(a.max(b)));
        let (x, y) = (self.read(first, second), self.read(second, first));
        contradiction_between(&self.texts[first].read[x].1, &self.texts[second].read[y].1)
    }

    fn place(&mut self, text: &'t str) -> usize {
        let texts = &mut self.texts;
        *self.places.entry(text).or_insert_with(|| {
            let spelling = Spelling::of([text, ""]);
            texts.push(Reading { text, openers: spelling.openers(text), spelling, read: Vec::new() });
            texts.len() - 1
        })
    }

    /// The reading of a text beside another one.
    fn read(&mut self, of: usize, beside: usize) -> usize {
        let (one, other) = (&self.texts[of], &self.texts[beside].spelling);
        let names: Vec<bool> = one.openers.iter().map(|o| one.spelling.names_beside(other, o)).collect();
        if let Some(at) = one.read.iter().position(|(known, _)| *known == names) {
            return at;
        }
        let spelling = one.spelling.deciding(one.openers.iter().zip(&names));
        let claims = told(one.text, &spelling);
        let reading = &mut self.texts[of].read;
        reading.push((names, claims));
        reading.len() - 1
    }
}
