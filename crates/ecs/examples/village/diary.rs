//! Readable log of the village.

use std::{cell::RefCell, io::Write as _};

use nightfold_ecs::{NightSummary, memory::NpcId};
use nightfold_embed::Progress;

use crate::Fallible;

const WIDTH: usize = 100;

/// Writer of log lines with their day and minute.
#[derive(Default)]
pub(crate) struct Diary {
    minute: i64,
    day: Option<i64>,
}

impl Diary {
    pub(crate) fn turn(&mut self, minute: i64) {
        self.minute = minute;
    }

    /// Writes a line.
    pub(crate) fn note(&mut self, text: &str) -> Fallible<()> {
        let day = self.minute / 1_440;
        let mut out = std::io::stdout();
        if self.day.replace(day) != Some(day) {
            writeln!(out, "\nDay {}, {} May 1204\n", day + 1, day + 3)?;
        }
        let (hour, minute) = (self.minute % 1_440 / 60, self.minute % 60);
        let mut start = format!("  {hour:02}:{minute:02}  ");
        for line in wrapped(&clean(text)) {
            writeln!(out, "{start}{line}")?;
            start = " ".repeat(9);
        }
        Ok(())
    }

    /// Writes a person's words.
    pub(crate) fn said(&mut self, who: &str, words: &str) -> Fallible<()> {
        self.note(&format!("{who} \"{}\"", words.replace('"', "'")))
    }

    /// Writes the results of a night.
    pub(crate) fn night(&mut self, npc: &NpcId, summary: &NightSummary) -> Fallible<()> {
        let report = &summary.report;
        self.note(&format!(
            "{npc} dreams of {} memories: {} kept, {} in {} as syntheses, {} pruned, {} corroborating.",
            report.counts.memories,
            report.counts.stored,
            report.counts.chunked,
            report.counts.syntheses,
            report.counts.pruned,
            report.counts.corroborated,
        ))?;
        for reflection in summary.reflections() {
            self.note(&format!("and sees: \"{}\"", reflection.replace('"', "'")))?;
        }
        Ok(())
    }
}

/// Replaces unusual characters: players write memories, and only letters, digits and common punctuation may
/// reach the terminal.
fn clean(text: &str) -> String {
    let shown = |c: char| c.is_alphanumeric() || c.is_ascii_punctuation() || " ’‘“”–—…".contains(c);
    text.chars().map(|c| if shown(c) { c } else { '\u{fffd}' }).collect()
}

fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < WIDTH - 9 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Prints to standard error which file is being fetched or verified.
pub(crate) fn progress() -> impl Fn(Progress<'_>) {
    let last = RefCell::new(String::new());
    move |progress| {
        let tenth = (10 * progress.done).checked_div(progress.total).unwrap_or_default();
        let line = format!("{:?} {} {} %", progress.phase, progress.artefact, 10 * tenth);
        if *last.borrow() != line {
            eprintln!("{line}");
            last.replace(line);
        }
    }
}
