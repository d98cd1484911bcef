//! A night in lines: theme by theme, each memory with its fate, and the proposals.

use nightfold_memory::{ClusterReport, MemoryId, NightReport, Rule};

use super::{
    Extent, MemoryFate, MemoryView, NightView, Proposal, ProposalKind, RecordView, Section, StatementRef,
    summary::{is_of_day, title_words},
    words::{
        compared_words, count, ended_words, important_ended_words, reason_words, shortened, strength_words,
        when,
    },
};

/// Number of letters of a text that are shown: players may write pages.
const LETTERS: usize = 600;

/// Meaning of a piece of text, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextRole {
    /// Title or heading.
    Title,
    /// Memory that is kept.
    Kept,
    /// Memory in a synthesis, or a synthesis.
    Told,
    /// Something that was known already.
    Known,
    /// Something that another statement replaces or contests.
    Replaced,
    /// Insight.
    Insight,
    /// Something archived.
    Gone,
    /// Detail.
    Faint,
}

/// Form of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineForm {
    /// Title of the night.
    Title,
    /// Outcome of the night.
    Outcome,
    /// Meaning of the signs.
    Legend,
    /// Heading of a group of lines.
    Heading,
    /// Item, with its sign.
    Item,
    /// Text of the item above.
    Quote,
    /// Detail of the line above.
    Detail,
    /// Number of items that are left out.
    Rest,
    /// Note about the night.
    Note,
    /// Beginning of items that a form may fold away; the text says of which.
    Fold,
    /// End of these.
    Unfold,
}

impl LineForm {
    /// Number of columns by which lines of the form are indented.
    pub fn indent(self) -> usize {
        match self {
            Self::Title | Self::Fold | Self::Unfold => 0,
            Self::Outcome | Self::Legend | Self::Heading | Self::Item | Self::Note => 2,
            Self::Quote | Self::Rest => 4,
            Self::Detail => 6,
        }
    }
}

/// A line of a night. Texts in it may be written by players: they are made harmless where the line is printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'a> {
    /// Form of the line.
    pub form: LineForm,
    /// Colour of the line.
    pub role: TextRole,
    /// Sign of an item; empty for all else.
    pub sign: &'static str,
    /// Text before the id; of a heading, its name.
    pub before: String,
    /// Id of a memory or entry.
    pub id: Option<&'a MemoryId>,
    /// Text after the id.
    pub after: String,
}

impl Line<'_> {
    /// Returns the text of the line, without its sign.
    pub fn text(&self) -> String {
        let id = self.id.map_or_else(String::new, |id| format!("[{id}]"));
        format!("{}{id}{}", self.before, self.after)
    }
}

/// Lines of a night.
#[derive(Debug)]
pub struct NightLines<'a> {
    /// The lines.
    pub lines: Vec<Line<'a>>,
    /// True if something is shortened or only counted.
    pub is_abridged: bool,
}

impl<'a> NightView<'a> {
    /// Puts the night into lines.
    pub fn lines(&self, extent: Extent) -> NightLines<'a> {
        let mut page = Page { extent, out: NightLines { lines: Vec::new(), is_abridged: false } };
        page.head(self);
        for (i, section) in self.sections.iter().enumerate() {
            page.section(i + 1, section, self.report);
        }
        if !self.across.is_empty() {
            let is_distilled = self.across.iter().all(|new| new.reason.rule == Rule::Distilled);
            let title = if is_distilled { "Learned from several days" } else { "Across themes" };
            page.heading(TextRole::Title, title, "");
            self.across.iter().zip(1..).for_each(|(proposal, number)| page.across(number, proposal));
        }
        for (verb, role, sign, heading, link) in OLDER {
            // What a record archives is shown with the record.
            let is_shown = |k: &&RecordView<'_>| {
                k.verb == verb && !(verb == "archive" && k.reason.rule == Rule::Distilled)
            };
            let changes: Vec<_> = self.known.iter().filter(is_shown).collect();
            if changes.is_empty() {
                continue;
            }
            page.heading(role, heading, &changes.len().to_string());
            let shown = extent.changes(verb).min(changes.len());
            changes[..shown].iter().for_each(|change| page.older(change, role, sign, link));
            page.rest(changes.len() - shown, heading);
        }
        self.report.notes.iter().for_each(|note| page.line(LineForm::Note, note.clone()));
        page.out
    }
}

impl MemoryFate {
    /// Fates in the order in which a theme's memories are shown.
    pub const ALL: [Self; 6] = [
        Self::Kept,
        Self::Synthesized,
        Self::Corroborated,
        Self::Contested,
        Self::Superseded,
        Self::Archived,
    ];

    /// Returns the sign of the fate.
    pub fn sign(self) -> &'static str {
        self.shown_as().0
    }

    /// Returns the fate in words.
    pub fn means(self) -> &'static str {
        self.shown_as().1
    }

    /// Returns the sign of the fate, its name and its colour.
    fn shown_as(self) -> (&'static str, &'static str, TextRole) {
        match self {
            Self::Kept => ("+", "kept", TextRole::Kept),
            Self::Synthesized => ("~", "in a synthesis", TextRole::Told),
            Self::Corroborated => ("=", "corroborating", TextRole::Known),
            Self::Contested => ("?", "contested", TextRole::Replaced),
            Self::Superseded => ("!", "superseded", TextRole::Replaced),
            Self::Archived => ("-", "pruned", TextRole::Gone),
        }
    }
}

/// Changes of entries of earlier nights in the order in which they are shown: verb, colour, sign, heading, and the word
/// before each of their sources. Corroborated entries are shown with the memories.
const OLDER: [(&str, TextRole, &str, &str, &str); 9] = [
    ("supersede", TextRole::Replaced, "!", "superseded", "by"),
    ("contest", TextRole::Replaced, "?", "contested", "with"),
    ("end", TextRole::Replaced, "/", "ended", "because of"),
    ("strengthen", TextRole::Known, "=", "insights drawn again", "from"),
    ("collapse", TextRole::Known, "&", "status lines made one", "for"),
    ("chunk", TextRole::Told, "~", "old entries summarised", "from"),
    ("restore", TextRole::Kept, ">", "restored", "by"),
    ("archive", TextRole::Gone, "<", "archived", "for"),
    ("forget", TextRole::Gone, "-", "forgotten", "for"),
];

/// Number of memories of a fate that are shown.
fn shown(extent: Extent, fate: MemoryFate) -> usize {
    match (extent, fate) {
        (_, MemoryFate::Contested) | (Extent::Review, MemoryFate::Archived) => usize::MAX,
        (_, MemoryFate::Kept) => extent.of(8),
        (_, MemoryFate::Synthesized) => extent.of(6),
        (_, MemoryFate::Corroborated | MemoryFate::Superseded) => extent.of(4),
        (_, MemoryFate::Archived) => extent.of(3),
    }
}

struct Page<'a> {
    extent: Extent,
    out: NightLines<'a>,
}

impl<'a> Page<'a> {
    fn head(&mut self, view: &NightView<'a>) {
        let report = view.report;
        self.line(LineForm::Title, format!("{} · {} {}", view.npc, title_words(report), view.night));
        if is_of_day(report) {
            self.line(LineForm::Outcome, outcome(report));
        }
        for ended in &report.important_ended {
            self.item(TextRole::Replaced, "!", important_ended_words(ended), None, String::new());
        }
        if !view.sections.is_empty() {
            let mut memories = view.sections.iter().flat_map(|section| &section.memories);
            let contested = memories.any(|m| m.fate == MemoryFate::Contested);
            let fates = MemoryFate::ALL.into_iter().filter(|f| contested || *f != MemoryFate::Contested);
            let fates = fates.map(|fate| format!("{} {}", fate.sign(), fate.means()));
            let legend: Vec<String> = fates.chain(["→ proposed".to_owned()]).collect();
            self.line(LineForm::Legend, legend.join("   "));
        }
    }

    fn section(&mut self, number: usize, section: &Section<'a>, report: &NightReport) {
        match section.theme {
            Some(theme) => {
                let title = format!("Theme {number}: {}", section.title());
                self.heading(TextRole::Title, &title, &strength_words(theme));
                if self.extent == Extent::Reasons {
                    self.line(LineForm::Detail, cohesion(theme, report));
                }
            }
            None => self.heading(TextRole::Title, "Loose", &loose(section)),
        }
        // Beside themes what is loose is one line, unless it contradicts something.
        let is_folded = section.theme.is_none() && number > 1 && self.extent == Extent::Brief;
        self.out.is_abridged |= is_folded;
        for fate in MemoryFate::ALL.into_iter().filter(|fate| !is_folded || *fate == MemoryFate::Contested) {
            let of: Vec<&MemoryView<'a>> = section.memories.iter().filter(|m| m.fate == fate).collect();
            match fate {
                MemoryFate::Synthesized => self.synthesized(&of, section),
                MemoryFate::Archived if !of.is_empty() => {
                    self.line(LineForm::Fold, format!("{} {}", of.len(), fate.means()));
                    self.memories(&of, fate);
                    self.line(LineForm::Unfold, String::new());
                }
                _ => self.memories(&of, fate),
            }
        }
        let shown = |new: &&Proposal<'_>| section.memories.iter().any(|m| is_source(m, new));
        section.proposals.iter().filter(|new| !shown(new)).for_each(|insight| self.proposal(insight, true));
    }

    /// Appends the memories that become syntheses, each synthesis below its sources.
    fn synthesized(&mut self, memories: &[&MemoryView<'a>], section: &Section<'a>) {
        let fate = MemoryFate::Synthesized;
        let told = section.proposals.iter().filter_map(|proposal| {
            let of: Vec<_> = memories.iter().copied().filter(|m| is_source(m, proposal)).collect();
            (!of.is_empty()).then_some((proposal, of))
        });
        let told: Vec<_> = told.collect();
        let shown = shown(self.extent, fate).min(told.len());
        for (proposal, of) in &told[..shown] {
            self.memories(of, fate);
            // Sources of other themes are not listed above it.
            self.proposal(proposal, of.len() < proposal.sources.len());
        }
        self.rest(told.len() - shown, "syntheses");
        let rest = memories.iter().copied().filter(|m| !section.proposals.iter().any(|p| is_source(m, p)));
        self.memories(&rest.collect::<Vec<_>>(), fate);
    }

    fn memories(&mut self, memories: &[&MemoryView<'a>], fate: MemoryFate) {
        let shown = shown(self.extent, fate).min(memories.len());
        memories[..shown].iter().for_each(|memory| self.memory(memory));
        self.rest(memories.len() - shown, fate.means());
    }

    fn memory(&mut self, memory: &MemoryView<'a>) {
        let text = match &*self.shortened(memory.text) {
            "" => "(blank)".to_owned(),
            text => format!("“{text}”"),
        };
        let times = if memory.times > 1 { format!(", {} times", memory.times) } else { String::new() };
        let about = format!(" {text} ({}, importance {}{times})", when(memory.at), memory.importance);
        let (sign, _, role) = memory.fate.shown_as();
        self.item(role, sign, String::new(), Some(memory.id), about);
        self.links("with", &memory.readings);
        let link = match memory.fate {
            MemoryFate::Corroborated => Some("as"),
            MemoryFate::Contested => Some("contested with"),
            MemoryFate::Superseded => Some("by"),
            MemoryFate::Kept | MemoryFate::Synthesized | MemoryFate::Archived => None,
        };
        if let (Some(link), Some(by)) = (link, &memory.by) {
            self.links(link, std::slice::from_ref(by));
        }
        // For the sources of a synthesis, the synthesis itself shows the reason once.
        if memory.fate != MemoryFate::Synthesized {
            self.reason(memory.reason, memory.compared.as_ref());
        }
    }

    /// Appends an insight on several themes or days; a distilled one below the episodes that it is distilled from.
    fn across(&mut self, number: usize, proposal: &Proposal<'a>) {
        let is_distilled = proposal.reason.rule == Rule::Distilled;
        if is_distilled {
            let episodes = format!("{} episodes", proposal.sources.len());
            self.heading(TextRole::Told, &format!("Group {number}"), &episodes);
            let shown = self.extent.of(8).min(proposal.sources.len());
            for source in &proposal.sources[..shown] {
                let text = self.entry(source);
                self.item(TextRole::Told, "~", String::new(), Some(source.id), text);
            }
            self.rest(proposal.sources.len() - shown, "episodes");
        }
        self.proposal(proposal, !is_distilled);
    }

    fn proposal(&mut self, proposal: &Proposal<'a>, with_sources: bool) {
        let (role, what, kind) = match proposal.kind {
            ProposalKind::Synthesis => (TextRole::Told, "synthesis", proposal.of.as_str()),
            ProposalKind::Insight(kind) => (TextRole::Insight, "insight", kind.as_str()),
        };
        let named = if proposal.name.is_empty() { String::new() } else { format!(": {}", proposal.name) };
        let similar = proposal.reason.values.get("similarity");
        let similar = similar.map_or_else(String::new, |cosine| format!(", similarity {cosine}"));
        let often = if proposal.times > 1 {
            format!(", {} times from {} to {}", proposal.times, when(proposal.at), when(proposal.last_at))
        } else {
            String::new()
        };
        let about =
            format!("proposed {what}{named} ({kind}, importance {}{often}{similar}) ", proposal.importance);
        self.item(role, "→", about, Some(proposal.id), String::new());
        let text = format!("“{}”", self.shortened(proposal.text));
        self.line(LineForm::Quote, text);
        if with_sources {
            let ids: Vec<&str> = proposal.sources.iter().map(|s| s.id.as_str()).collect();
            self.line(LineForm::Detail, format!("from {}", ids.join(", ")));
        }
        self.reason(proposal.reason, None);
    }

    fn older(&mut self, change: &RecordView<'a>, role: TextRole, sign: &'static str, link: &str) {
        let often = change.reason.values.get("reinforcement");
        let often = often.map_or_else(String::new, |n| format!(", lived through {n} times"));
        let text = self.entry(&change.entry) + &often;
        self.item(role, sign, String::new(), Some(change.entry.id), text);
        if let Some((position, since)) = change.position.zip(change.since) {
            self.line(LineForm::Detail, ended_words(since, position));
        }
        self.links(link, &change.sources);
        self.reason(change.reason, change.compared.as_ref());
    }

    /// Appends a reason and the statements that were compared, if reasons are shown.
    fn reason(&mut self, reason: &nightfold_memory::Reason, compared: Option<&[StatementRef<'_>; 2]>) {
        if self.extent == Extent::Reasons {
            self.line(LineForm::Detail, reason_words(reason));
            if let Some([older, newer]) = compared {
                let words = compared_words((older.id.as_str(), older.text), (newer.id.as_str(), newer.text));
                self.line(LineForm::Detail, words);
            }
        }
    }

    /// Appends the entries that a line refers to, up to the number that is shown.
    fn links(&mut self, link: &str, entries: &[StatementRef<'a>]) {
        let shown = self.extent.links().min(entries.len());
        for one in &entries[..shown] {
            let after = self.entry(one);
            let (form, role) = (LineForm::Detail, TextRole::Faint);
            self.push(Line { form, role, sign: "", before: format!("{link} "), id: Some(one.id), after });
        }
        if entries.len() > shown {
            self.out.is_abridged = true;
            self.line(LineForm::Detail, format!("{link} {} more", entries.len() - shown));
        }
    }

    /// Returns the text of an entry or a memory, if it is available.
    fn entry(&mut self, entry: &StatementRef<'_>) -> String {
        let text = entry.at.map(|at| format!(" “{}” ({})", self.shortened(entry.text), when(at)));
        text.unwrap_or_default()
    }

    fn shortened(&mut self, text: &str) -> String {
        if matches!(self.extent, Extent::All | Extent::Reasons) {
            return text.to_owned();
        }
        let shown = shortened(text, LETTERS).into_owned();
        self.out.is_abridged |= shown.len() != text.len();
        shown
    }

    fn rest(&mut self, n: usize, what: &str) {
        if n > 0 {
            self.out.is_abridged = true;
            self.line(LineForm::Rest, format!("… and {n} more {what}"));
        }
    }

    fn heading(&mut self, role: TextRole, title: &str, about: &str) {
        let after = if about.is_empty() { String::new() } else { format!(" ({about})") };
        self.push(Line {
            form: LineForm::Heading,
            role,
            sign: "",
            before: title.to_owned(),
            id: None,
            after,
        });
    }

    fn item(
        &mut self,
        role: TextRole,
        sign: &'static str,
        before: String,
        id: Option<&'a MemoryId>,
        after: String,
    ) {
        self.push(Line { form: LineForm::Item, role, sign, before, id, after });
    }

    fn line(&mut self, form: LineForm, text: String) {
        let role = if form == LineForm::Title { TextRole::Title } else { TextRole::Faint };
        self.push(Line { form, role, sign: "", before: text, id: None, after: String::new() });
    }

    fn push(&mut self, line: Line<'a>) {
        self.out.lines.push(line);
    }
}

/// True if a memory becomes part of a proposed synthesis.
fn is_source(memory: &MemoryView<'_>, proposal: &Proposal<'_>) -> bool {
    memory.fate == MemoryFate::Synthesized && memory.by.as_ref().is_some_and(|by| by.id == proposal.id)
}

/// Returns the outcome of the day in a sentence.
fn outcome(report: &NightReport) -> String {
    let mut line = format!(
        "{}, {} different → {} kept",
        count(report.counts.memories, "memory", "memories"),
        report.counts.distinct,
        report.counts.kept
    );
    if report.counts.distinct > 0 {
        line = format!("{line} ({:.0} % fewer)", report.reduction * 100.0);
    }
    if report.counts.collapsed > 0 {
        let lines = count(report.counts.collapsed, "status line", "status lines");
        line = format!("{line}, {lines} folded into others");
    }
    if report.important > 0 {
        line = format!("{line}, {} of {} important ones whole", report.important_kept, report.important);
    }
    if report.share_of_night < 1.0 {
        line = format!("{line}; slept at {:.0} % of a full night's budgets", report.share_of_night * 100.0);
    }
    if let Some(profile) = &report.profile {
        line = format!("{line}; profile {profile}");
    }
    line
}

/// Returns the number of loose memories and of those kept in their own words, and the most important of these.
fn loose(section: &Section<'_>) -> String {
    let is_kept = |memory: &MemoryView<'_>| matches!(memory.fate, MemoryFate::Kept | MemoryFate::Contested);
    let kept = section.memories.iter().filter(|memory| is_kept(memory)).count();
    let foremost = section.foremost(is_kept).map(|text| format!(", above all {text}"));
    format!(
        "{}, {kept} kept{}",
        count(section.memories.len(), "memory", "memories"),
        foremost.unwrap_or_default()
    )
}

/// Returns the parts of a theme's cohesion: those that count with their weights, then those that were only
/// measured.
fn cohesion(theme: &ClusterReport, report: &NightReport) -> String {
    let (mut counts, mut beside) = (Vec::new(), Vec::new());
    for ((name, part), (_, weight)) in
        theme.cohesion_parts.named().iter().zip(&report.cohesion_weights.named())
    {
        let name = name.replace('_', " ");
        if *weight > 0.0 {
            counts.push(format!("{name} {part:.2} × {weight}"));
        } else {
            beside.push(format!("{name} {part:.2}"));
        }
    }
    let beside = if beside.is_empty() { String::new() } else { format!("; beside it {}", beside.join(", ")) };
    format!("cohesion {:.2}: {}{beside}", theme.cohesion, counts.join(" + "))
}
