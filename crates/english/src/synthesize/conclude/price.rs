//! Prices: what the same goods cost on several occasions.

use std::collections::BTreeSet;

use nightfold_memory::{
    ReflectionKind,
    grammar::{Grammar, Relation},
    text::contains_words,
};

use super::{
    Candidate,
    timeline::{Timeline, TimelineEntry},
    wording::span,
};
use crate::{
    lexicon::{WordClass, cardinal, number_word},
    text::{NounGroup, Token, noun_groups, part, tokens, words_text},
};

/// Minimum number of prices.
const MIN_PRICES: usize = 3;
/// Maximum number of prices that add weight.
const MAX_WEIGHED: usize = 5;
const WEIGHT: u32 = 12;
/// Additional weight of a price that only rose or only fell.
const WEIGHT_OF_TREND: u32 = 8;

/// A price that a memory tells.
struct Price<'a> {
    at: usize,
    value: f64,
    number: &'a str,
    unit: &'a str,
}

pub(super) fn candidates(life: &Timeline<'_>) -> Vec<Candidate> {
    let today = (0..life.seen.len()).filter(|&at| life.is_of_today(at));
    let traded: BTreeSet<String> = today.flat_map(|at| goods(&life.seen[at])).collect();
    traded.iter().filter_map(|goods| candidate(life, goods)).collect()
}

/// Returns what is bought or sold, with its amount: "a keg of salt herring". "12 pence for a keg" and "24 pence for two
/// kegs" are prices of different goods.
fn goods(seen: &TimelineEntry<'_>) -> Vec<String> {
    let Some(grammar) = &seen.analysis.grammar else { return Vec::new() };
    let groups = noun_groups(grammar).into_iter().filter(|group| is_traded(seen, grammar, group));
    groups.filter_map(|group| amount(seen, grammar, &group)).collect()
}

fn is_traded(seen: &TimelineEntry<'_>, grammar: &Grammar, group: &NounGroup) -> bool {
    let words = grammar.words();
    let lower = |at: usize| words[at].written(seen.text).to_lowercase();
    let Some(head) = words[group.head].head() else { return false };
    let is_money = |at: usize| WordClass::Money.has(&lower(at));
    let has_price = || is_money(head) || grammar.dependents(head).any(|(at, _)| is_money(at));
    match words[group.head].relation() {
        _ if is_money(group.head) => false,
        Relation::Object => WordClass::Trade.has(&lower(head)),
        Relation::Subject => lower(head).starts_with("cost"),
        Relation::Oblique | Relation::NominalModifier => {
            let mut before =
                grammar.dependents(group.head).filter(|(_, word)| word.relation() == Relation::Case);
            before.any(|(at, _)| lower(at) == "for") && has_price()
        }
        _ => false,
    }
}

/// Returns a noun phrase in lower case, if it begins with an amount and is whole.
fn amount(seen: &TimelineEntry<'_>, grammar: &Grammar, group: &NounGroup) -> Option<String> {
    let lower = |at: usize| {
        grammar.words().get(at).map_or_else(String::new, |word| word.written(seen.text).to_lowercase())
    };
    let of = group.tail.as_ref().filter(|tail| lower(tail.start) == "of");
    let end = of.map_or(group.core.end, |tail| tail.end);
    let article = group.determiner.filter(|&at| matches!(lower(at).as_str(), "a" | "an" | "half"));
    let number = group.number.as_ref().map(|number| number.start);
    let start = article.or(number)?;
    // "Half a bolt of twill" is no bolt.
    let start = start.checked_sub(1).filter(|&at| lower(at) == "half").unwrap_or(start);
    (lower(end) != "of").then(|| words_text(seen.text, grammar, &(start..end)).to_lowercase())
}

/// Returns the only amount of money in a memory that tells of buying or selling.
fn price<'a>(seen: &'a TimelineEntry<'_>, at: usize) -> Option<Price<'a>> {
    let words = &seen.analysis.tokens;
    let trades = words.iter().any(|t| WordClass::Trade.has(&t.lower) || t.lower == "for");
    let mut amounts = words.windows(2).filter(|pair| {
        let is_beside = part(seen.text, pair[0].end..pair[1].start).trim().is_empty();
        pair[0].number && is_beside && WordClass::Money.has(&pair[1].lower)
    });
    let [number, unit] = amounts.next().filter(|_| trades && amounts.next().is_none())? else { return None };
    let value = number.lower.parse().ok().or_else(|| cardinal(&number.lower).map(|n| n as f64))?;
    f64::is_finite(value).then(|| Price {
        at,
        value,
        number: number.written(seen.text),
        unit: unit.written(seen.text),
    })
}

/// True if a memory names the goods and this amount of them: "a keg of salt" is not in "a keg of salt herring", and "a
/// bolt" not in "half a bolt".
fn names(seen: &TimelineEntry<'_>, goods: &str) -> bool {
    let lower = seen.text.to_lowercase();
    let Some((before, rest)) = lower.split_once(goods).filter(|_| contains_words(&lower, goods)) else {
        return false;
    };
    let goes_on = |next: &Token| next.lower == "of" || !next.function && !WordClass::Trade.has(&next.lower);
    let is_whole = !rest.starts_with(' ') || !tokens(rest).first().is_some_and(goes_on);
    is_whole && !before.ends_with("half ")
}

fn candidate(life: &Timeline<'_>, goods: &str) -> Option<Candidate> {
    let tells = |at: &usize| !life.seen[*at].is_heard && names(&life.seen[*at], goods);
    let told: Vec<usize> = (0..life.seen.len()).filter(tells).collect();
    let occasions = life.occasions(&told);
    let all: Vec<Price<'_>> = occasions.iter().filter_map(|&at| price(&life.seen[at], at)).collect();
    let last = all.last().filter(|price| life.is_of_today(price.at))?;
    let prices: Vec<&Price<'_>> = all.iter().filter(|price| price.unit == last.unit).collect();
    let least = prices.iter().min_by(|a, b| a.value.total_cmp(&b.value))?;
    let most = prices.iter().max_by(|a, b| a.value.total_cmp(&b.value))?;
    // A price that never changes is nothing to think about.
    if prices.len() < MIN_PRICES || least.value >= most.value {
        return None;
    }
    let seen: Vec<usize> = prices.iter().map(|price| price.at).collect();
    let within = span(life.span(&seen));
    let goes = |holds: fn(&f64, &f64) -> bool| prices.is_sorted_by(|a, b| holds(&a.value, &b.value));
    let trend = if goes(f64::lt) { Some("rose") } else { goes(f64::gt).then_some("fell") };
    let (first, least, most, unit) = (prices[0].number, least.number, most.number, last.unit);
    let text = match trend {
        Some(verb) => {
            format!("The price of {goods} {verb} from {first} to {} {unit} in {within}", last.number)
        }
        None => format!(
            "I saw {} prices of {goods} in {within}: {least} to {most} {unit}, the last {}",
            number_word(prices.len()),
            last.number
        ),
    };
    Some(Candidate {
        compared: Vec::new(),
        form: "price",
        kind: ReflectionKind::Pattern,
        text,
        subject: goods.to_owned(),
        occasions: prices.len(),
        of: occasions.len(),
        weight: WEIGHT
            + prices.len().min(MAX_WEIGHED) as u32
            + if trend.is_some() { WEIGHT_OF_TREND } else { 0 },
        seen,
        about: vec![goods.to_owned()],
    })
}
