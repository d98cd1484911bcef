//! Statements of a memory that can be quoted inside another sentence and stay clear and true.

use std::ops::Range;

use crate::{
    assertions::is_activity,
    lexicon::{WordClass, is_negation, is_reported_by},
    text::{
        self, Analysis, Token, analyze, is_closing_mark, is_line_end, is_possessive, is_quotation_mark, part,
        quotations, statements,
    },
};

/// Maximum number of characters of a quotable statement; longer ones are reports.
const MAX_CHARS: usize = 150;
/// Minimum number of words of a quotable statement.
const MIN_WORDS: usize = 4;
/// Returns the quotable statements of a memory, each without its closing full stop and written as inside a
/// sentence. A memory is quoted whole if possible, otherwise by those of its sentences that depend on no
/// other. What somebody is doing at a moment is over by night, and a line about the scene is nobody's words: neither is
/// quoted.
pub(super) fn quotable_statements(text: &str, analysis: &Analysis, own: &Analysis) -> Vec<String> {
    if is_scene_line(text, analysis) {
        return Vec::new();
    }
    if let Some(reported) = to_reported_speech(text, analysis) {
        let read = analyze(&reported, analysis.names.iter().map(String::as_str));
        let read = Analysis { starts_common: read.starts_common || analysis.starts_common, ..read };
        return if is_quotable(&reported, &read) {
            vec![lower_opening_capital(&reported, &read)]
        } else {
            Vec::new()
        };
    }
    let doubtful = |c: char| {
        is_quotation_mark(c) || is_line_end(c) || matches!(c, ':' | '?' | '(' | '\u{2026}' | '\u{2014}')
    };
    if text.contains(doubtful) || !quotations(text).is_empty() {
        // The speaker, or the doubt, must not be lost.
        return Vec::new();
    }
    let names = || analysis.names.iter().map(String::as_str);
    let parts: Vec<&str> = statements(text).map(|s| s.text).collect();
    let whole = parts.len() == 1;
    let mut said = Vec::new();
    for (number, part) in parts.into_iter().enumerate() {
        let mut read = analyze(part, names());
        read.starts_common |= number == 0 && analysis.starts_common;
        if let Some((part, read)) = to_first_person(part, read, own)
            && (whole || !has_anaphora(&read))
            && is_quotable(&part, &read)
            && !is_activity(&part)
        {
            said.push(lower_opening_capital(&part, &read));
        }
    }
    said
}

/// True for a line that a game wrote about a thing: "library table is in use", "behind the counter is busy".
pub(super) fn is_scene_line(text: &str, analysis: &Analysis) -> bool {
    let Some(first) = analysis.tokens.first() else { return false };
    let word = first.lower.as_str();
    let begins_clause = WordClass::Subject.has(word)
        || WordClass::FirstPerson.has(word)
        || WordClass::Determiner.has(word)
        || WordClass::Possessive.has(word)
        || WordClass::Indefinite.has(word)
        || WordClass::Adverb.has(word)
        || first.number;
    text.trim_start().starts_with(char::is_lowercase) && !begins_clause
}

/// Turns direct into reported speech: `Ida told us all: "The mill burns. It is lost."` becomes `Ida told us
/// all that the mill burns, and that it is lost`. The speaker stays named and no words are left out. `None`
/// unless a verb of speech introduces the quotation and nothing in it depends on speaker or hearer.
fn to_reported_speech(text: &str, analysis: &Analysis) -> Option<String> {
    let quotation = quotations(text).into_iter().next()?;
    let lead = part(text, ..quotation.start).trim().strip_suffix([':', ','])?;
    let names = || analysis.names.iter().map(String::as_str);
    let said = analyze(lead, names());
    let speaks = said.tokens.iter().rposition(|t| is_speech(&t.lower))?;
    // "Said it plainly": the verb has its object already.
    let object =
        said.tokens[speaks..].iter().any(|t| matches!(t.lower.as_str(), "it" | "so" | "this" | "that"));
    if object || lead.contains(['.', '!', '?', ';', ':']) || lead.contains(is_line_end) {
        return None;
    }
    let quote = closed_quotation_text(text, &quotation)?;
    let mut reported = lead.to_owned();
    for (number, sentence) in statements(quote).enumerate() {
        let words = sentence.text;
        let read = analyze(words, names());
        let first = read.tokens.first()?;
        let turns = read.tokens.iter().any(|t| WordClass::Deictic.has(&t.lower));
        let asks = sentence.is_question() || words.contains(['?', ':', ';']);
        let begun = read.starts_common || read.names.contains(&first.lower);
        // A later sentence may start with "it" ("It stands"): it refers to an earlier one of the quotation.
        let clear = if number == 0 {
            !has_anaphora(&read) && read.tokens.len() >= MIN_WORDS
        } else {
            let points_back = |t: &Token| is_he_or_she(&t.lower) || WordClass::BackReference.has(&t.lower);
            let stands = !is_dangling(&first.lower) || is_it(&first.lower);
            stands && !read.tokens.iter().any(points_back) && read.tokens.len() > 1
        };
        if turns || asks || !begun || !clear || WordClass::Order.has(&first.lower) {
            return None;
        }
        reported.push_str(if number == 0 { " that " } else { ", and that " });
        reported.push_str(&lower_opening_capital(words, &read));
    }
    (reported.len() > lead.len()).then_some(reported)
}

/// Returns the words of a quotation that is closed and ends its sentence.
fn closed_quotation_text<'a>(text: &'a str, quotation: &Range<usize>) -> Option<&'a str> {
    let mut inner = part(text, quotation.clone()).chars();
    inner.next()?;
    inner.next_back().filter(|&close| is_closing_mark(close))?;
    let quote = inner.as_str().trim();
    let rest = part(text, quotation.end..).trim_start();
    let ended = rest.is_empty() || rest.starts_with(['.', '!']) || quote.ends_with(['.', '!']);
    // A quotation within the quotation has another speaker.
    (ended && quotations(quote).is_empty()).then_some(quote)
}

/// True for a word that starts a sentence which depends on the one before it.
fn is_dangling(word: &str) -> bool {
    WordClass::Coordinator.has(word)
        || WordClass::ThirdPerson.has(word)
        || WordClass::Demonstrative.has(word)
        || word == "then"
}

/// True for a pronoun of one or several things.
fn is_it(word: &str) -> bool {
    WordClass::It.has(word) || WordClass::They.has(word)
}

fn is_he_or_she(word: &str) -> bool {
    WordClass::He.has(word) || WordClass::She.has(word)
}

/// True for a verb of speech that can be followed by "that".
fn is_speech(word: &str) -> bool {
    is_reported_by(word) || WordClass::Speech.has(word)
}

/// True if the text has a pronoun or another word that may refer to an earlier sentence.
fn has_anaphora(read: &Analysis) -> bool {
    read.tokens.iter().any(|t| WordClass::ThirdPerson.has(&t.lower) || WordClass::BackReference.has(&t.lower))
}

fn is_quotable(part: &str, read: &Analysis) -> bool {
    let tokens = &read.tokens;
    let Some(first) = tokens.first() else { return false };
    let word = first.lower.as_str();
    let named = read.names.binary_search(&first.lower).is_ok();
    let begun =
        named || read.starts_common || !first.capital || WordClass::Stopword.has(word) || is_negation(word);
    let is_me = word == "i" || word.starts_with("i'");
    // "Practised the song", "conversing about tea": the subject is missing.
    let verbal = !named && (word.ends_with("ing") || word.ends_with("ed")) && word.len() > 4;
    tokens.len() >= MIN_WORDS
        && part.chars().count() <= MAX_CHARS
        && (begun || is_me || first.number)
        && !verbal
        && !is_dangling(&first.lower)
        && pronouns_have_antecedents(read)
}

/// True if every "he", "her" and "it" has a possible antecedent before it.
fn pronouns_have_antecedents(read: &Analysis) -> bool {
    let tokens = &read.tokens;
    let is_name = |t: &Token| t.capital && read.names.binary_search(&t.lower).is_ok();
    // "Tom Aldous" is one person.
    let named = (0..tokens.len()).filter(|&i| is_name(&tokens[i]) && !(i > 0 && is_name(&tokens[i - 1])));
    let named: Vec<usize> = named.collect();
    let things: Vec<usize> = (1..tokens.len())
        .filter(|&i| {
            let before = &tokens[i - 1];
            introduces_thing(&before.lower) || before.number
        })
        .collect();
    let first = |is: &dyn Fn(&str) -> bool| tokens.iter().position(|t| is(&t.lower));
    let (he, she) = (first(&|word| WordClass::He.has(word)), first(&|word| WordClass::She.has(word)));
    let it = first(&is_it);
    let before = |at: Option<usize>, whom: &[usize]| at.is_none_or(|at| whom.iter().any(|&w| w < at));
    let someone: Vec<usize> = named.iter().chain(&things).copied().collect();
    // "He" and "she" are two people: both must have an antecedent.
    let both = he.max(she).filter(|_| he.is_some() && she.is_some());
    let two = both.is_none_or(|at| someone.iter().filter(|&&w| w < at).count() >= 2);
    before(he, &someone) && before(she, &someone) && before(it, &someone) && two
}

/// True for a determiner that introduces a thing: "a kite", but not "his kite" or "that".
fn introduces_thing(word: &str) -> bool {
    WordClass::Determiner.has(word)
        && !WordClass::ThirdPerson.has(word)
        && !WordClass::Demonstrative.has(word)
}

/// True for a preposition whose object can be a person, and which introduces no clause.
fn takes_person(word: &str) -> bool {
    word == "like" || WordClass::Preposition.has(word) && !WordClass::ClausePreposition.has(word)
}

/// Lowers a capital that only marks the beginning.
fn lower_opening_capital(part: &str, read: &Analysis) -> String {
    let Some(first) = read.tokens.first() else { return part.to_owned() };
    let word = first.lower.as_str();
    let keeps = read.names.binary_search(&first.lower).is_ok()
        || word == "i"
        || word.starts_with("i'")
        || first.written(part).chars().skip(1).any(char::is_uppercase);
    if keeps || !part.starts_with(|c: char| c.is_uppercase()) {
        return part.to_owned();
    }
    let mut chars = part.chars();
    chars.next().map_or_else(String::new, |c| c.to_lowercase().chain(chars).collect())
}

/// Replaces an NPC's own name by "I", "me" or "my"; `None` if it is used in a way that the rules do not cover.
fn without_own_name(part: &str, tokens: &[Token], own: &Analysis) -> Option<String> {
    let is_own = |t: &Token| t.capital && own.tokens.iter().any(|o| o.lower == t.lower);
    let (mut out, mut from, mut i) = (String::new(), 0, 0);
    while i < tokens.len() {
        // All words of the name, or only some.
        let words = tokens[i..].iter().take_while(|t| is_own(t)).count();
        if words == 0 {
            i += 1;
            continue;
        }
        if words > own.tokens.len() {
            // "Ida Berg Ida Berg found": the name twice in a row cannot be read.
            return None;
        }
        let last = &tokens[i + words - 1];
        let next = tokens.get(i + words);
        let before = i.checked_sub(1).map(|b| tokens[b].lower.as_str());
        out.push_str(text::part(part, from..tokens[i].start));
        from = last.end;
        if is_possessive(last.written(part)) {
            out.push_str("my");
        } else if let (None, Some(verb)) = (before, next) {
            let me = match verb.lower.as_str() {
                "is" => "am",
                "has" => "have",
                "was" => "was",
                "will" => "will",
                _ => return None,
            };
            out.push_str("I ");
            out.push_str(me);
            from = verb.end;
        } else if before.is_some_and(takes_person) {
            out.push_str("me");
        } else {
            return None;
        }
        i += words;
    }
    out.push_str(text::part(part, from..));
    Some(out)
}

/// Replaces the third person by the first in possessives and reflexive pronouns, which are the NPC's own as long
/// as nobody else is named; `None` if a pronoun may mean somebody else.
fn with_own_possessives(text: &str, read: &Analysis, alone: bool) -> Option<String> {
    let is_article = |t: &Token| introduces_thing(&t.lower);
    let (mut mine, mut from) = (String::new(), 0);
    for (number, token) in read.tokens.iter().enumerate() {
        let plain = !read.tokens[..number].iter().any(is_article);
        let word = match token.lower.as_str() {
            "her" | "his" if alone && plain && number + 1 < read.tokens.len() => "my",
            "herself" | "himself" if alone && plain => "myself",
            _ if is_he_or_she(&token.lower) => return None,
            _ => continue,
        };
        mine.push_str(text::part(text, from..token.start));
        mine.push_str(word);
        from = token.end;
    }
    mine.push_str(text::part(text, from..));
    Some(mine)
}

/// Rewrites a statement that names the NPC in the first person: "Ida Berg is reading her book" becomes "I am
/// reading my book". `None` if the name is used in a way that the rules do not cover.
fn to_first_person(part: &str, read: Analysis, own: &Analysis) -> Option<(String, Analysis)> {
    let is_own = |t: &Token| t.capital && own.tokens.iter().any(|o| o.lower == t.lower);
    let tokens = &read.tokens;
    let Some(first) = tokens.iter().position(is_own) else { return Some((part.to_owned(), read)) };
    let mut out = without_own_name(part, tokens, own)?;
    let others = || read.names.iter().filter(|n| !own.tokens.iter().any(|o| o.lower == **n));
    // "Rana hears my voice as she speaks": "she" may be the NPC.
    if tokens[first..].iter().any(|t| is_he_or_she(&t.lower)) && !out.starts_with("I ") {
        return None;
    }
    let mut said = analyze(&out, others().map(String::as_str));
    // "I am planning a feast and is glad": the second verb would keep the ending of the third person.
    let third = |w: &[Token]| w[0].lower == "and" && w[1].lower.ends_with('s') && !w[1].lower.ends_with("ss");
    if out.starts_with("I ") && said.tokens.windows(2).any(third) {
        return None;
    }
    if out.starts_with("I ") && has_anaphora(&said) {
        let mine = with_own_possessives(&out, &said, others().next().is_none())?;
        said = analyze(&mine, others().map(String::as_str));
        out = mine;
    }
    said.starts_common |= read.starts_common;
    Some((out, said))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<String> {
        let own = analyze("Ida Berg", ["Ida Berg"]);
        quotable_statements(text, &analyze(text, ["Rana", "Ida Berg", "Otto"]), &own)
    }

    #[test]
    fn statements_lose_opening_capital_and_full_stop() {
        assert_eq!(said("The goat ate my hat."), ["the goat ate my hat"]);
        assert_eq!(said("Rana sold the goat!"), ["Rana sold the goat"]);
        assert_eq!(said("Nobody wanted the goat."), ["nobody wanted the goat"]);
    }

    #[test]
    fn dependent_statements_are_not_quotable() {
        for text in [
            "He sold the goat to Rana.",
            "I waited until she came home.",
            "I told Rana to keep him away from her goats.",
            "I told them all to go home.",
            "Talking about goats and hats",
            "Rana said, \"The goat is mine.\"",
            "Will Rana ever sell the goat?",
        ] {
            assert!(said(text).is_empty(), "{text}: {:?}", said(text));
        }
    }

    #[test]
    fn only_independent_sentences_are_quoted() {
        assert_eq!(
            said("The goat is old. I will not sell the goat."),
            ["the goat is old", "I will not sell the goat"]
        );
        assert_eq!(said("I milked the goat; she kicked me."), ["I milked the goat"]);
    }

    #[test]
    fn direct_speech_becomes_reported_speech() {
        assert_eq!(
            said("Rana ran in and told us all: \"The old mill has burnt down.\" We ran."),
            ["Rana ran in and told us all that the old mill has burnt down"]
        );
        assert_eq!(
            said("Rana said: \u{ab} The old mill at the caf\u{e9} has burnt down. \u{bb}"),
            ["Rana said that the old mill at the caf\u{e9} has burnt down"]
        );
        for text in [
            "Rana said: \"The old mill has burnt down\", but nobody believed Rana.",
            "Rana said 'I have sold the old goat. Go home.' to everyone",
            "Rana said: \u{201e}I have sold the old goat. Go home.\u{201c}",
            "Rana said: \"The old mill has burnt down",
            "Rana said: \"Get out of the old mill.\"",
            "Rana said, \"I have sold the old goat.\"",
            "Rana said, \"Is the old mill burning?\"",
            "Rana said it plainly: \"The old mill has burnt down.\"",
            "Rana came from the mill: \"The old roof burns.\"",
            "She told us all: \"The old mill has burnt down.\"",
        ] {
            assert!(said(text).is_empty(), "{text}: {:?}", said(text));
        }
    }

    #[test]
    fn quotations_are_reported_whole_or_not_at_all() {
        assert_eq!(
            said("Rana told us all: \"The old mill has burnt down. It is lost.\" We ran."),
            ["Rana told us all that the old mill has burnt down, and that it is lost"]
        );
        for text in [
            "Rana told us all: \"The old mill has burnt down. Run!\" We ran.",
            "Rana told us all: \"The old mill has burnt down. At least they want us to think so.\"",
            "Rana told us all: \"The old mill has burnt down. Or has it?\"",
            "Rana told us all: \"The old mill has burnt down; that is a lie.\"",
            "Rana told us all: \"The old mill has burnt down,\nbut I doubt it.\"",
        ] {
            assert!(said(text).is_empty(), "{text}: {:?}", said(text));
        }
    }

    #[test]
    fn any_script_and_spacing_is_read() {
        for text in [
            "Rana told us all: \" The mill burns at the caf\u{e9}. Run!\"",
            "Rana told us all:\"\u{a0}\u{2003}The old mill burns at the caf\u{e9}\u{301}.\u{2028}\"",
            "Rana \u{5d0}\u{5de}\u{5e8}\u{5d4}: \"\u{130}\u{149}\u{1f600}. Go\"",
            "\"",
            "\u{201c}\u{201d}",
            "'",
            ":\"",
            "Rana said: \"",
            "Rana said: \"\"",
            "Rana said: \u{201c} \u{201d}",
        ] {
            assert!(said(text).len() < 2, "{text}");
        }
    }

    #[test]
    fn own_name_becomes_first_person() {
        assert_eq!(said("Ida Berg is fond of her book"), ["I am fond of my book"]);
        assert!(said("Ida Berg is reading her book").is_empty(), "over by night");
        for line in ["library table is in use by Rana", "behind the counter is busy and bustling"] {
            assert!(said(line).is_empty(), "{line}");
        }
        assert_eq!(said("Rana is fond of Ida Berg's goat"), ["Rana is fond of my goat"]);
        assert_eq!(said("Rana is close friends with Ida Berg"), ["Rana is close friends with me"]);
        assert_eq!(said("Rana shouted at Ida because of it all"), ["Rana shouted at me because of it all"]);
        assert!(said("Ida Berg is asking Rana about her goat").is_empty());
        assert!(said("Ida Berg Ida Berg found it odd").is_empty());
        assert!(said("Rana can hear Ida Berg's voice as she sings").is_empty());
        assert!(said("Ida Berg loves the old goat").is_empty());
    }
}
