//! A night in short: a headline, what is kept above all, which beliefs changed, the insights, and counts.

use nightfold_memory::{Counts, MemoryId, NightLabel, NightReport, NpcId};

use super::{
    Line, LineForm, MemoryFate, NightStory, NightView, TextRole,
    words::{count, shortened},
};

/// Number of kept memories that are shown.
const KEPT: usize = 3;

/// Number of changed beliefs that are shown, each on two lines.
const BELIEFS: usize = 2;

/// Number of insights that are shown; one fewer beside several changed beliefs.
const INSIGHTS: usize = 2;

/// Number of letters of a text that are shown at least, however narrow the line is.
const MIN_LETTERS: usize = 24;

impl<'a> NightView<'a> {
    /// True if the night is one of a day, and no maintenance.
    pub fn is_of_day(&self) -> bool {
        is_of_day(self.report)
    }

    /// Puts the night into a dozen lines at most: the headline, the kept memories that matter most, the beliefs that
    /// changed with their causes, the insights, and the rest as counts. Texts are shortened so that each line has
    /// about `columns` characters; the headline and the counts may need two lines.
    pub fn summary(&self, columns: usize) -> Vec<Line<'a>> {
        let mut out = Summary { columns, lines: Vec::new() };
        let NightStory { kept, beliefs, insights } = self.story();
        out.push(LineForm::Title, TextRole::Title, headline(self.npc, self.night, self.report));
        for memory in kept.iter().take(KEPT) {
            out.statement(TextRole::Kept, MemoryFate::Kept.sign(), "", memory.id, memory.text);
        }
        for belief in beliefs.iter().take(BELIEFS) {
            let [words, link] = belief.change.words();
            out.statement(TextRole::Replaced, belief.change.sign(), words, belief.id, belief.text);
            if let Some(cause) = &belief.cause {
                out.quoted(LineForm::Detail, TextRole::Faint, "", link, cause.id, cause.text);
            }
        }
        let shown = if beliefs.len() > 1 { INSIGHTS - 1 } else { INSIGHTS };
        for insight in insights.iter().take(shown) {
            out.statement(TextRole::Insight, "→", "insight", insight.id, insight.text);
        }
        let more = [(kept.len(), KEPT), (beliefs.len(), BELIEFS), (insights.len(), shown)];
        let rest = rest(&self.report.counts, more.map(|(all, shown)| all.saturating_sub(shown)));
        if !rest.is_empty() {
            out.push(LineForm::Rest, TextRole::Faint, rest);
        }
        if let [note, more @ ..] = self.report.notes.as_slice() {
            let more = if more.is_empty() { String::new() } else { format!(" (and {} more)", more.len()) };
            let note = shortened(note, columns.max(MIN_LETTERS)).into_owned() + &more;
            out.push(LineForm::Note, TextRole::Faint, note);
        }
        out.lines
    }
}

/// Returns what a summary does not show, as counts; empty if it shows everything. `more` are the kept memories, the
/// changed beliefs and the insights beyond those that are shown.
fn rest(counts: &Counts, more: [usize; 3]) -> String {
    let joined = format!("joined in {}", count(counts.syntheses, "synthesis", "syntheses"));
    let [kept, beliefs, insights] = more;
    let parts = [
        (kept, "more kept", "more kept"),
        (beliefs, "more changed belief", "more changed beliefs"),
        (insights, "more insight", "more insights"),
        (counts.chunked, &joined, &joined),
        (counts.corroborated, MemoryFate::Corroborated.means(), MemoryFate::Corroborated.means()),
        (counts.pruned, MemoryFate::Archived.means(), MemoryFate::Archived.means()),
        (counts.restored, "restored", "restored"),
        (counts.capped, "insight over the cap archived", "insights over the cap archived"),
        (counts.forgotten, "forgotten", "forgotten"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(n, ..)| *n > 0).map(|&(n, one, many)| count(n, one, many)).collect();
    if parts.is_empty() { String::new() } else { format!("… and {}", parts.join(", ")) }
}

/// Returns a night in a line: what it keeps, and how many beliefs and insights it changes.
///
/// `Mara Thorne · night of 1204-05-03 · keeps 15 of 33 · 1 belief superseded · 2 insights`
pub fn headline(npc: &NpcId, night: &NightLabel, report: &NightReport) -> String {
    let counts = &report.counts;
    let mut parts = vec![npc.to_string(), format!("{} {night}", title_words(report))];
    if is_of_day(report) {
        parts.push(format!("keeps {} of {}", counts.kept, counts.distinct));
    }
    let changes = [
        (counts.superseded, "belief superseded", "beliefs superseded"),
        (counts.contested, "contested", "contested"),
        (counts.ended, "position ended", "positions ended"),
        (counts.reflections, "insight", "insights"),
    ];
    parts.extend(changes.iter().filter(|(n, ..)| *n > 0).map(|&(n, one, many)| count(n, one, many)));
    if report.share_of_night < 1.0 {
        parts.push(format!("slept at {:.0} % of a full night's budgets", report.share_of_night * 100.0));
    }
    parts.extend(report.profile.as_ref().map(|profile| format!("profile {profile}")));
    parts.join(" · ")
}

/// Returns the words before the label of a night: `night of`, or those of maintenance.
pub(super) fn title_words(report: &NightReport) -> &'static str {
    if is_of_day(report) { "night of" } else { "maintenance after night" }
}

/// True if memories of a day were read, although none may have been left to consolidate.
pub(super) fn is_of_day(report: &NightReport) -> bool {
    report.counts.memories + report.input.already_slept_on + report.input.stray_times > 0
}

struct Summary<'a> {
    columns: usize,
    lines: Vec<Line<'a>>,
}

impl<'a> Summary<'a> {
    fn statement(&mut self, role: TextRole, sign: &'static str, words: &str, id: &'a MemoryId, text: &str) {
        self.quoted(LineForm::Item, role, sign, words, id, text);
    }

    /// Appends words and a statement, quoted and shortened to what is left of the line; one without text by its id
    /// alone.
    fn quoted(
        &mut self,
        form: LineForm,
        role: TextRole,
        sign: &'static str,
        words: &str,
        id: &'a MemoryId,
        text: &str,
    ) {
        let before = if words.is_empty() { String::new() } else { format!("{words} ") };
        // A sign and a blank, brackets, a blank and quotation marks.
        let beside = form.indent() + 2 + before.chars().count() + id.as_str().chars().count() + 5;
        let letters = self.columns.saturating_sub(beside).max(MIN_LETTERS);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let after =
            if text.is_empty() { String::new() } else { format!(" “{}”", shortened(&text, letters)) };
        self.lines.push(Line { form, role, sign, before, id: Some(id), after });
    }

    fn push(&mut self, form: LineForm, role: TextRole, text: String) {
        self.lines.push(Line { form, role, sign: "", before: text, id: None, after: String::new() });
    }
}
