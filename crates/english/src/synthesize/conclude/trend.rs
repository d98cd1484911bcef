//! Trends: a number of a labelled line that rises or falls over several days.

use std::collections::BTreeMap;

use nightfold_memory::ReflectionKind;

use super::{Candidate, life::Life, wording::span};
use crate::{
    lexicon::{WordClass, cardinal},
    synthesize::phrase::join_list,
    text::{Token, part},
};

/// Minimum number of days with a reading.
const MIN_READINGS: usize = 3;
/// Maximum number of readings that are told one by one, and that add weight.
const MAX_TOLD: usize = 4;
const WEIGHT: u32 = 20;

/// A number with its unit.
struct Reading {
    at: usize,
    day: i64,
    value: f64,
    written: String,
}

pub(super) fn candidates(life: &Life<'_>) -> Vec<Candidate> {
    readings(life).into_iter().filter_map(|((label, unit), all)| numbers(life, &label, &unit, all)).collect()
}

/// Returns the readings of each labelled line and unit: "Stock: 5 kegs, 9 loaves" has two.
fn readings(life: &Life<'_>) -> BTreeMap<(String, String), Vec<Reading>> {
    let mut found: BTreeMap<(String, String), Vec<Reading>> = BTreeMap::new();
    for (at, one) in life.seen.iter().enumerate() {
        let Some((label, _)) = one.text.split_once(':') else { continue };
        let is_label = !label.contains(['.', '!', '?', '"']) && label.split_whitespace().count() <= 4;
        if !is_label || label.chars().any(|c| c.is_ascii_digit()) {
            continue;
        }
        for pair in one.analysis.tokens.windows(2) {
            if let Some((value, unit)) = quantity(one.text, pair) {
                let reading =
                    Reading { at, day: one.day(), value, written: pair[0].written(one.text).to_owned() };
                found.entry((label.trim().to_owned(), unit)).or_default().push(reading);
            }
        }
    }
    found
}

/// Returns a number and the noun that it counts.
fn quantity(text: &str, pair: &[Token]) -> Option<(f64, String)> {
    let [number, unit] = pair else {
        return None;
    };
    let value: f64 = number.lower.parse().ok().or_else(|| cardinal(&number.lower).map(|n| n as f64))?;
    let is_beside = part(text, number.end..unit.start).trim().is_empty();
    let is_noun = !unit.number && !unit.function && !WordClass::Vague.has(&unit.lower);
    (number.number && is_beside && is_noun && value.is_finite()).then(|| (value, unit.lower.clone()))
}

fn numbers(life: &Life<'_>, label: &str, unit: &str, all: Vec<Reading>) -> Option<Candidate> {
    // The last reading of each day stands for the day.
    let mut daily: Vec<Reading> = Vec::new();
    for reading in all {
        daily.retain(|other| other.day != reading.day);
        daily.push(reading);
    }
    let run = latest_run(&daily);
    let (first, last) = (run.first()?, run.last()?);
    if run.len() < MIN_READINGS || !life.is_of_today(last.at) {
        return None;
    }
    let seen: Vec<usize> = run.iter().map(|reading| reading.at).collect();
    let way = if last.value < first.value { "fewer" } else { "more" };
    let days = span(life.span(&seen));
    let written: Vec<String> = run.iter().map(|reading| reading.written.clone()).collect();
    let told = if run.len() <= MAX_TOLD {
        join_list(&written)
    } else {
        format!("from {} to {}", first.written, last.written)
    };
    // Counts between them may be forgotten.
    let text = format!(
        "I see {way} {unit} by each {label} that I remember, in {days}: {told}",
        label = inside_sentence(label)
    );
    Some(Candidate {
        form: "trend",
        kind: ReflectionKind::Pattern,
        text,
        told: [unit.to_owned()].into_iter().chain(written).collect(),
        occasions: run.len(),
        of: daily.len(),
        weight: WEIGHT + run.len().min(MAX_TOLD) as u32,
        seen,
        about: vec![label.to_lowercase(), unit.to_owned()],
    })
}

/// Returns the longest run of readings, up to the last one, that only rise or only fall.
fn latest_run(daily: &[Reading]) -> &[Reading] {
    let mut from = daily.len().saturating_sub(1);
    let mut way = 0.0_f64;
    while from > 0 {
        let step = daily[from].value - daily[from - 1].value;
        if step == 0.0 || way * step < 0.0 {
            break;
        }
        way = step;
        from -= 1;
    }
    daily.get(from..).unwrap_or_default()
}

/// Returns a label as it stands inside a sentence: "Stock count" loses its capital, "Tanner Street count" keeps it.
fn inside_sentence(label: &str) -> String {
    let mut words = label.split_whitespace().skip(1);
    let names = words.next().is_none_or(|second| second.starts_with(char::is_uppercase));
    let mut chars = label.chars();
    match chars.next().filter(|_| !names) {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => label.to_owned(),
    }
}
