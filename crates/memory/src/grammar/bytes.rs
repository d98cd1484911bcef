//! Grammars as bytes: for each word the gap before it and its length, as numbers of 7 bits a byte (LEB128),
//! and its tags in four bytes.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{
    Grammar, GrammarError, Mood, NO_HEAD, Number, PartOfSpeech, Person, Relation, Tense, VerbForm, Word,
};

impl Grammar {
    /// Returns the grammar as bytes, some six for each word.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(6 * self.words().len());
        let mut before = 0;
        for word in self.words() {
            write_number(&mut bytes, word.start - before);
            write_number(&mut bytes, word.end - word.start);
            bytes.extend_from_slice(&word.tags.to_le_bytes());
            before = word.end;
        }
        bytes
    }

    /// Reads the bytes that [`Grammar::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`GrammarError`] if they are not those of a grammar.
    pub fn from_bytes(mut bytes: &[u8]) -> Result<Self, GrammarError> {
        let mut words: Vec<Word> = Vec::with_capacity((bytes.len() / 6).min(Self::MAX_WORDS));
        let mut before = 0_u32;
        while !bytes.is_empty() {
            if words.len() == Self::MAX_WORDS {
                return Err(GrammarError::TooManyWords(words.len() + 1));
            }
            let (gap, rest) = read_number(bytes).ok_or(GrammarError::Short)?;
            let (length, rest) = read_number(rest).ok_or(GrammarError::Short)?;
            let (tags, rest) = rest.split_first_chunk::<4>().ok_or(GrammarError::Short)?;
            let far = || GrammarError::TooFar(before as usize);
            let start = before.checked_add(gap).ok_or_else(far)?;
            let end = start.checked_add(length).ok_or_else(far)?;
            let tags = u32::from_le_bytes(*tags);
            words.push(checked(start, end, tags).ok_or(GrammarError::Tags { word: words.len(), tags })?);
            (before, bytes) = (end, rest);
        }
        Self::new(words)
    }
}

/// Returns the word if all its tags are known.
fn checked(start: u32, end: u32, tags: u32) -> Option<Word> {
    let word = Word { start, end, tags };
    let known = |number: u32, tags: usize| number as usize <= tags;
    let is_whole = tags >> 30 == 0
        && PartOfSpeech::from_number(word.bits(8, 5)).is_some()
        && Relation::from_number(word.bits(13, 6)).is_some()
        && known(word.bits(19, 2), Number::ALL.len())
        && known(word.bits(21, 2), Person::ALL.len())
        && known(word.bits(23, 2), Tense::ALL.len())
        && known(word.bits(25, 3), VerbForm::ALL.len())
        && known(word.bits(28, 2), Mood::ALL.len())
        && (word.bits(0, 8) == NO_HEAD || (word.bits(0, 8) as usize) < Grammar::MAX_WORDS);
    is_whole.then_some(word)
}

fn write_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Returns a number and the bytes behind it.
fn read_number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut number = 0_u32;
    for (at, &byte) in bytes.iter().enumerate().take(5) {
        let part = u32::from(byte & 0x7f);
        number |= part.checked_shl(7 * at as u32).filter(|shifted| shifted >> (7 * at as u32) == part)?;
        if byte & 0x80 == 0 {
            return Some((number, bytes.get(at + 1..)?));
        }
    }
    None
}

impl Serialize for Grammar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(self.to_bytes()))
    }
}

impl<'de> Deserialize<'de> for Grammar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(written).map_err(de::Error::custom)?;
        Self::from_bytes(&bytes).map_err(de::Error::custom)
    }
}
