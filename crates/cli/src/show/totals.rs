//! Totals of a run.

use std::collections::BTreeMap;

use nightfold::memory::{Counts, InputCounts, JudgeReport, LanguageReport, RunReport};

use crate::{plural::count, show::wrap_hanging, terminal::clean};

/// Returns totals for a terminal: each line wrapped at `width`, continuation lines indented.
pub(crate) fn wrapped(totals: &str, width: usize) -> String {
    totals.lines().map(|line| wrap_hanging("", 2, line, width)).collect()
}

/// Returns the totals of a run in a few lines.
pub(crate) fn run_totals(run: &RunReport) -> String {
    if is_maintenance(run) {
        return maintenance_totals(run);
    }
    let tokens = format!(
        "tokens: {} spent; a language model would take about {}\n",
        run.tokens.spent, run.tokens.estimate
    );
    [
        run_line(run),
        fates_line(run),
        talk_line(&run.counts),
        tokens,
        packs_line(run),
        profiles_line(run),
        run.language.as_ref().map_or_else(String::new, language_line),
        run.judge.as_ref().map_or_else(String::new, judge_line),
        input_line(&run.input),
    ]
    .concat()
}

/// Returns the totals of a run without those that say that all went as usual.
pub(crate) fn brief_totals(run: &RunReport) -> String {
    if is_maintenance(run) {
        return maintenance_totals(run);
    }
    let judge = run.judge.as_ref().filter(|judge| judge.answered < judge.asked);
    [
        run_line(run),
        fates_line(run),
        packs_line(run),
        profiles_line(run),
        run.language.as_ref().map_or_else(String::new, language_line),
        judge.map_or_else(String::new, judge_line),
        input_line(&run.input),
    ]
    .concat()
}

fn is_maintenance(run: &RunReport) -> bool {
    run.nights > 0 && run.counts.memories == 0 && run.input == InputCounts::default()
}

/// Returns the numbers of NPCs, nights and memories on a line.
pub(crate) fn run_line(run: &RunReport) -> String {
    format!(
        "{}, {}: {} read, {} different → {} kept ({:.1} % fewer of the different, {:.1} % of all), {}\n",
        count(run.npcs, "NPC", "NPCs"),
        count(run.nights, "night", "nights"),
        count(run.counts.memories, "memory", "memories"),
        run.counts.distinct,
        run.counts.kept,
        run.reduction * 100.0,
        run.raw_reduction * 100.0,
        count(run.counts.reflections, "insight", "insights"),
    )
}

/// Returns the fates of memories and entries on a line.
fn fates_line(run: &RunReport) -> String {
    let counts = &run.counts;
    let fates = [
        (counts.contested, "contested", "contested"),
        (counts.ended, "position ended", "positions ended"),
        (counts.late, "came late", "came late"),
        (counts.restored, "restored", "restored"),
    ];
    let important = [(run.important_ended, "ended", "ended"), (counts.inversions, "inversion", "inversions")];
    format!(
        "fates: {} stored, {} joined in {}, {} corroborating, {} pruned; {} superseded{}; {} of {} important ones whole{}\n",
        counts.stored,
        counts.chunked,
        count(counts.syntheses, "synthesis", "syntheses"),
        counts.corroborated,
        counts.pruned,
        count(counts.superseded, "belief", "beliefs"),
        and_others(&fates),
        run.important_kept,
        run.important,
        and_others(&important)
    )
}

/// Returns the counts that are not zero, each with its noun in one of the two forms.
fn above_zero(counts: &[(usize, &str, &str)]) -> Vec<String> {
    counts.iter().filter(|(n, ..)| *n > 0).map(|&(n, one, many)| count(n, one, many)).collect()
}

/// Returns the counts that are not zero, each after a comma.
fn and_others(counts: &[(usize, &str, &str)]) -> String {
    above_zero(counts).iter().map(|text| format!(", {text}")).collect()
}

/// Returns a line of these parts behind their heading; nothing without any.
fn line(heading: &str, parts: &[String], separator: &str) -> String {
    if parts.is_empty() { String::new() } else { format!("{heading}: {}\n", parts.join(separator)) }
}

/// Returns how much of the text of unrated talk stays as one line; nothing without any.
fn talk_line(counts: &Counts) -> String {
    let Counts { talk_chars: all, talk_chars_kept: kept, .. } = counts;
    if *all == 0 {
        return String::new();
    }
    let share = *kept as f64 / *all as f64 * 100.0;
    format!("unrated talk: {kept} of {all} characters stay ({share:.0} %)\n")
}

/// Returns the numbers of nights read with a pack other than English as one line; nothing without any.
fn packs_line(run: &RunReport) -> String {
    let nights = run
        .packs
        .iter()
        .map(|(pack, n)| format!("{} {}", count(*n, "night", "nights"), clean(pack.as_str())));
    line("language packs", &nights.collect::<Vec<_>>(), ", ")
}

/// Returns the numbers of nights to which a profile applied as one line; nothing without any.
fn profiles_line(run: &RunReport) -> String {
    let nights =
        run.profiles.iter().map(|(profile, n)| format!("{} {profile}", count(*n, "night", "nights")));
    line("profiles", &nights.collect::<Vec<_>>(), ", ")
}

/// Returns the totals of maintenance on a line; nothing if all are zero.
pub(crate) fn maintenance_totals(run: &RunReport) -> String {
    let counts = &run.counts;
    let summaries = count(counts.syntheses, "summary", "summaries");
    let counts = above_zero(&[
        (counts.collapsed, "status entry collapsed", "status entries collapsed"),
        (
            counts.chunked,
            &format!("old entry summarised in {summaries}"),
            &format!("old entries summarised in {summaries}"),
        ),
        (counts.reflections, "record distilled", "records distilled"),
        (counts.superseded, "entry superseded", "entries superseded"),
        (counts.contested, "entry contested", "entries contested"),
        (counts.ended, "position ended", "positions ended"),
        (counts.capped, "insight over the cap archived", "insights over the cap archived"),
        (counts.forgotten, "faded entry forgotten", "faded entries forgotten"),
    ]);
    if counts.is_empty() {
        return String::new();
    }
    format!("{}{}", line(&count(run.npcs, "NPC", "NPCs"), &counts, ", "), profiles_line(run))
}

/// Returns the judge's report as one line.
fn judge_line(report: &JudgeReport) -> String {
    let mut parts = vec![format!("{} of {} answered", report.answered, count(report.asked, "pair", "pairs"))];
    let vetoed = "held apart by the rules though it said the same";
    parts.extend(above_zero(&[
        (report.vetoed, vetoed, vetoed),
        (report.unaffordable, "not affordable", "not affordable"),
        (report.unasked, "not asked", "not asked"),
    ]));
    parts.extend(kinds("failed", &report.failures));
    if report.by_fail_safe > 0 {
        let merged = report.merged_by_fail_safe;
        parts.push(format!("{} by the fail-safe ({merged} merged)", report.by_fail_safe));
    }
    format!("judge {}: {}\n", clean(&report.judge), parts.join("; "))
}

/// Returns the language model's report as one line.
fn language_line(language: &LanguageReport) -> String {
    let mut parts = vec![format!(
        "{} of {} answered in {}",
        language.answered,
        count(language.tasks, "task", "tasks"),
        count(language.calls, "call", "calls")
    )];
    parts.extend(above_zero(&[
        (language.unaffordable, "not affordable", "not affordable"),
        (language.unasked, "not asked", "not asked"),
    ]));
    parts.extend(kinds("failed", &language.failures));
    parts.extend(kinds("not believed", &language.faults));
    format!("language model {}: {}; the rest by rules\n", clean(&language.model), parts.join("; "))
}

/// Returns the numbers of failures or faults of each kind; nothing without any.
fn kinds(what: &str, counts: &BTreeMap<String, usize>) -> Option<String> {
    let kinds: Vec<String> = counts.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    (!kinds.is_empty()).then(|| format!("{what}: {}", kinds.join(", ")))
}

fn input_line(input: &InputCounts) -> String {
    let notes = above_zero(&[
        (input.blank, "blank", "blank"),
        (
            input.without_importance,
            "without importance (weighed by its text)",
            "without importance (weighed by their text)",
        ),
        (input.repeated_rows, "repeated row (read once)", "repeated rows (read once)"),
        (
            input.renamed_ids,
            "of an id already taken (kept as id~2 …)",
            "of ids already taken (kept as id~2 …)",
        ),
        (
            input.mixed_importance,
            "text with several importances (the highest counts)",
            "texts with several importances (the highest counts)",
        ),
        (input.equal_times, "at the same time as another", "at the same time as another"),
        (input.already_slept_on, "slept on before (skipped)", "slept on before (skipped)"),
        (input.truncated_texts, "text longer than the model reads", "texts longer than the model reads"),
        (
            input.stray_times,
            "of another clock (set apart, not slept on)",
            "of another clock (set apart, not slept on)",
        ),
        (
            input.flood,
            "of a flood of one pattern (archived unread)",
            "of a flood of one pattern (archived unread)",
        ),
        (
            input.over_distinct,
            "beyond cluster.max_distinct (archived unread)",
            "beyond cluster.max_distinct (archived unread)",
        ),
    ]);
    line("input", &notes, "; ")
}

#[cfg(test)]
mod tests {

    use super::*;

    /// The widest line of a text, in characters.
    fn widest(text: &str) -> usize {
        text.lines().map(|line| line.chars().count()).max().unwrap_or_default()
    }

    #[test]
    fn totals_fit_the_terminal_and_lose_no_word() {
        let run = RunReport {
            npcs: 1234,
            nights: 12_345,
            counts: Counts {
                memories: 1_234_567,
                distinct: 1_200_000,
                kept: 600_000,
                superseded: 1234,
                contested: 123,
                late: 12,
                restored: 3,
                ..Counts::default()
            },
            input: InputCounts { blank: 3, truncated_texts: 7, equal_times: 9, ..InputCounts::default() },
            ..RunReport::default()
        };
        let totals = run_totals(&run);
        assert!(widest(&totals) > 140, "{totals}");
        for width in [60, 80, 140] {
            let shown = wrapped(&totals, width);
            assert!(widest(&shown) <= width, "{shown}");
            assert!(shown.split_whitespace().eq(totals.split_whitespace()), "{shown}");
        }
    }
}
