//! Prices: what one thing cost on several occasions.

use std::collections::BTreeMap;

use nightfold_memory::ReflectionKind;

use super::{
    Candidate,
    subjects::Subject,
    timeline::{Timeline, TimelineEntry},
    wording::span,
};
use crate::{
    lexicon::{WordClass, cardinal, number_word},
    text::{Token, part},
};

/// Minimum number of prices.
const MIN_PRICES: usize = 3;
/// Maximum number of prices that add weight.
const MAX_WEIGHED: usize = 5;
const WEIGHT: u32 = 12;
/// Additional weight of a price that only rose or only fell.
const WEIGHT_OF_TREND: u32 = 8;

/// A price that a memory tells.
struct Price {
    at: usize,
    value: f64,
    written: String,
}

pub(super) fn candidates(life: &Timeline<'_>) -> Vec<Candidate> {
    life.subjects
        .iter()
        .filter(|subject| !subject.is_person && !subject.is_measure)
        .flat_map(|s| of_subject(life, s))
        .collect()
}

fn of_subject(life: &Timeline<'_>, subject: &Subject) -> Vec<Candidate> {
    let occasions = life.occasions(&subject.members);
    // "12 pence for a keg" and "24 pence for two kegs" are prices of different amounts.
    let mut by_goods: BTreeMap<(String, String), Vec<Price>> = BTreeMap::new();
    for at in occasions {
        let seen = &life.seen[at];
        if let Some((unit, price)) = price(seen, at)
            && let Some(goods) = goods(seen, subject)
        {
            by_goods.entry((unit, goods)).or_default().push(price);
        }
    }
    by_goods
        .into_iter()
        .filter_map(|((unit, goods), prices)| candidate(life, subject, &unit, &goods, &prices))
        .collect()
}

/// Returns the only amount of money in a memory that tells of buying or selling: its unit and the price.
fn price(seen: &TimelineEntry<'_>, at: usize) -> Option<(String, Price)> {
    let words = &seen.analysis.tokens;
    let trades = words.iter().any(|t| WordClass::Trade.has(&t.lower) || t.lower == "for");
    // "Two pence under my price" is no price.
    let compares = words.iter().any(|t| matches!(t.lower.as_str(), "under" | "over" | "more" | "less"));
    let amounts: Vec<usize> = (1..words.len())
        .filter(|&unit| {
            let between = part(seen.text, words[unit - 1].end..words[unit].start);
            WordClass::Money.has(&words[unit].lower) && words[unit - 1].number && between.trim().is_empty()
        })
        .collect();
    let [unit] = *amounts.as_slice() else {
        return None;
    };
    let number = &words[unit - 1];
    let value = number.lower.parse().ok().or_else(|| cardinal(&number.lower).map(|n| n as f64))?;
    let price = Price { at, value, written: number.written(seen.text).to_owned() };
    (trades && !compares && value.is_finite()).then(|| (words[unit].stem.clone(), price))
}

/// Returns what is bought or sold with its amount, as written: "a keg of salt herring" for the herring. `None` if the
/// subject only describes it, as salt does herring.
fn goods(seen: &TimelineEntry<'_>, subject: &Subject) -> Option<String> {
    let words = &seen.analysis.tokens;
    let is_near = |a: &Token, b: &Token| part(seen.text, a.end..b.start).trim().is_empty();
    let noun = subject.words.last()?;
    let head = words.iter().rposition(|t| t.stem == *noun)?;
    let describes = words.get(head + 1).is_some_and(|next| {
        is_near(&words[head], next) && !next.function && !WordClass::Trade.has(&next.lower)
    });
    if describes {
        return None;
    }
    let mut from = head;
    while let Some(before) = from.checked_sub(1)
        && is_near(&words[before], &words[from])
        && belongs(&words[before])
    {
        from = before;
    }
    // Without an amount the words name no goods: "the midwife of the next village".
    if WordClass::Measure.has(&words[head].lower) {
        return None;
    }
    let is_amount = words[from].number || matches!(words[from].lower.as_str(), "a" | "an" | "half");
    (is_amount && !is_trader(words, from))
        .then(|| part(seen.text, words[from].start..words[head].end).to_lowercase())
}

/// True if a noun phrase is of who buys or sells, or of an occasion: "from a lace maker", "a lace maker bought cloth",
/// "buying for a christening".
fn is_trader(words: &[Token], from: usize) -> bool {
    let is_any = |token: Option<&Token>, of: &[&str]| token.is_some_and(|t| of.contains(&t.lower.as_str()));
    let before = from.checked_sub(1).and_then(|at| words.get(at));
    let acts =
        ["bought", "buys", "buy", "sold", "sells", "sell", "paid", "pays", "took", "beat", "haggled", "gave"];
    // "For a christening" is what somebody buys for, "13 pence for a keg" is a price.
    let is_price =
        from.checked_sub(2).and_then(|at| words.get(at)).is_some_and(|t| WordClass::Money.has(&t.lower));
    is_any(before, &["from", "to", "with", "by"])
        || is_any(before, &["for"]) && !is_price
        || words[from].starts_sentence && words[from..].iter().any(|t| is_any(Some(t), &acts))
}

/// True for a word that belongs to what follows: "half a keg of salt" before "herring".
fn belongs(token: &Token) -> bool {
    let is_open = !token.function && !token.negation && !WordClass::Trade.has(&token.lower);
    is_open && !WordClass::Money.has(&token.lower)
        || matches!(token.lower.as_str(), "of" | "a" | "an" | "half")
}

fn candidate(
    life: &Timeline<'_>,
    subject: &Subject,
    unit: &str,
    goods: &str,
    prices: &[Price],
) -> Option<Candidate> {
    let last = prices.last().filter(|price| life.is_of_today(price.at))?;
    let least = prices.iter().min_by(|a, b| a.value.total_cmp(&b.value))?;
    let most = prices.iter().max_by(|a, b| a.value.total_cmp(&b.value))?;
    // A price that never changes is nothing to think about.
    if prices.len() < MIN_PRICES || least.value >= most.value {
        return None;
    }
    let unit = written_unit(&life.seen[most.at], unit)?;
    let seen: Vec<usize> = prices.iter().map(|price| price.at).collect();
    let within = span(life.span(&seen));
    let counted = number_word(prices.len());
    let all = |holds: fn(f64, f64) -> bool| prices.windows(2).all(|pair| holds(pair[0].value, pair[1].value));
    let (dearer, cheaper) = (all(|before, then| then > before), all(|before, then| then < before));
    let (first, least, most, last) = (&prices[0].written, &least.written, &most.written, &last.written);
    let text = if dearer || cheaper {
        let verb = if dearer { "rose" } else { "fell" };
        format!("The price of {goods} {verb} from {first} to {last} {unit} in {within}")
    } else {
        format!("I saw {counted} prices of {goods} in {within}: {least} to {most} {unit}, the last {last}")
    };
    Some(Candidate {
        form: "price",
        kind: ReflectionKind::Pattern,
        text,
        subject: subject.phrase.clone(),
        occasions: prices.len(),
        of: life.occasions(&subject.members).len(),
        weight: WEIGHT
            + prices.len().min(MAX_WEIGHED) as u32
            + if dearer || cheaper { WEIGHT_OF_TREND } else { 0 },
        seen,
        about: subject.words.clone(),
    })
}

/// Returns the unit as a memory writes it.
fn written_unit(seen: &TimelineEntry<'_>, stem: &str) -> Option<String> {
    let unit = seen.analysis.tokens.iter().find(|t| t.stem == stem && WordClass::Money.has(&t.lower))?;
    Some(unit.written(seen.text).to_owned())
}
