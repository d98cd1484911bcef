//! Expectations: one kind each, about existing nights, NPCs and memories.

use std::ops::Range;

use nightfold_memory::{MemoryId, NpcId};
use toml::Spanned;

use super::{
    Bounds, Expectation, Expected, ScenarioNight,
    owners::MemoryOwners,
    parser_message::{allowed_list, did_you_mean},
    script::Script,
};
use crate::{
    diagnostic::Diagnostic,
    format::{ExpectTable, NightRef, OneOrMany},
};

/// Reads all expectations.
pub(super) fn all(
    script: &Script,
    nights: &[ScenarioNight],
    owners: &MemoryOwners,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Expectation> {
    let mut expectations = Vec::new();
    for table in &script.file.expect {
        let reader = ExpectationReader { script, nights, owners, table: table.get_ref(), span: table.span() };
        match reader.read() {
            Ok(read) => expectations.extend(read),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    expectations
}

type ReadResult<T> = Result<T, Diagnostic>;

struct ExpectationReader<'a> {
    script: &'a Script,
    nights: &'a [ScenarioNight],
    owners: &'a MemoryOwners,
    table: &'a ExpectTable,
    /// Span of the whole table.
    span: Range<usize>,
}

/// Function that creates the expectation of one memory.
type MakeExpected = fn(&ExpectationReader<'_>, MemoryId) -> Expected;

/// Kind of an expectation, as it was written.
enum ExpectationKind<'a> {
    /// About memories, each by itself.
    Each(&'a OneOrMany<MemoryId>, MakeExpected),
    /// About memories together.
    Together(&'a OneOrMany<MemoryId>),
    /// About all entries of NPCs.
    Of(Expected),
}

impl ExpectationReader<'_> {
    fn read(&self) -> ReadResult<Vec<Expectation>> {
        let (kind, key) = self.kind()?;
        self.check_modifiers(key)?;
        let after = match &self.table.after {
            Some(night) => self.night(night)?,
            None => self.nights.len() - 1,
        };
        let npcs = self.npcs()?;
        let make = |expected, npcs| Expectation {
            expected,
            npcs,
            after,
            because: self.table.because.clone(),
            line: self.script.source.diagnostic(self.span.clone(), "").line,
        };
        match kind {
            ExpectationKind::Of(expected) => {
                if let Some(night) = &self.table.night
                    && self.night(night)? > after
                {
                    return Err(
                        self.wrong(night.span(), "this night comes after the one it is checked after")
                    );
                }
                Ok(vec![make(expected, npcs)])
            }
            ExpectationKind::Together(ids) => {
                if ids.items.len() < 2 {
                    return Err(self.wrong(ids.span.clone(), "told_together is about two memories at least"));
                }
                let owner = self.owner(&ids.items[0], &npcs, after)?;
                for id in &ids.items[1..] {
                    let owners = std::slice::from_ref(&owner);
                    self.owner(id, owners, after)?;
                }
                Ok(vec![make(Expected::ToldTogether(ids.plain().cloned().collect()), vec![owner])])
            }
            ExpectationKind::Each(ids, expected) => {
                let mut all = Vec::new();
                for id in &ids.items {
                    let owners = if npcs.len() > 1 {
                        npcs.iter()
                            .map(|npc| self.owner(id, std::slice::from_ref(npc), after))
                            .collect::<ReadResult<_>>()?
                    } else {
                        vec![self.owner(id, &npcs, after)?]
                    };
                    if let Some(by) = &self.table.by {
                        self.owner(by, &owners, after)?;
                    }
                    for npc in owners {
                        all.push(make(expected(self, id.get_ref().clone()), vec![npc]));
                    }
                }
                Ok(all)
            }
        }
    }

    fn wrong(&self, span: Range<usize>, what: impl Into<String>) -> Diagnostic {
        self.script.source.diagnostic(span, what)
    }

    /// Returns the only kind of this table, and its key.
    fn kind(&self) -> ReadResult<(ExpectationKind<'_>, &'static str)> {
        let mut kinds = self.about_memories();
        kinds.extend(self.about_all()?);
        if kinds.len() > 1 {
            let keys: Vec<String> = kinds.iter().map(|(_, key)| format!("`{key}`")).collect();
            let what = format!("this expectation has {} kinds: {}", keys.len(), keys.join(" and "));
            return Err(self
                .script
                .source
                .diagnostic(self.span.clone(), what)
                .help("write one [[expect]] table for each"));
        }
        kinds.pop().ok_or_else(|| {
            let diagnostic =
                self.script.source.diagnostic(self.span.clone(), "this expectation says nothing");
            match allowed_list(&KINDS) {
                Some(allowed) => diagnostic.help(allowed.replace("allowed:", "write one of these in it:")),
                None => diagnostic,
            }
        })
    }

    fn about_memories(&self) -> Vec<(ExpectationKind<'_>, &'static str)> {
        let table = self.table;
        let each: [(_, _, MakeExpected); 9] = [
            (&table.kept, "kept", |_, id| Expected::Kept(id)),
            (&table.forgotten, "forgotten", |_, id| Expected::Forgotten(id)),
            (&table.told, "told", |_, id| Expected::Told(id)),
            (&table.known, "known", |_, id| Expected::Known(id)),
            (&table.corroborated, "corroborated", |reader, id| {
                let times = reader.table.times.as_ref().map_or(1, |times| *times.get_ref());
                Expected::Corroborated { id, times }
            }),
            (&table.superseded, "superseded", |reader, id| {
                let by = reader.table.by.as_ref().map(|by| by.get_ref().clone());
                Expected::Superseded { id, by }
            }),
            (&table.contested, "contested", |reader, id| {
                let by = reader.table.by.as_ref().map(|by| by.get_ref().clone());
                Expected::Contested { id, by }
            }),
            (&table.recalled, "recalled", |reader, id| reader.recalled(id, true)),
            (&table.not_recalled, "not_recalled", |reader, id| reader.recalled(id, false)),
        ];
        let each = each
            .into_iter()
            .filter_map(|(ids, key, make)| Some((ExpectationKind::Each(ids.as_ref()?, make), key)));
        let together =
            table.told_together.as_ref().map(|ids| (ExpectationKind::Together(ids), "told_together"));
        each.chain(together).collect()
    }

    fn recalled(&self, id: MemoryId, wanted: bool) -> Expected {
        let query = self.table.query.as_ref().map_or_else(String::new, |query| query.get_ref().clone());
        let top = self.table.top.as_ref().map_or(3, |top| usize::from(*top.get_ref()));
        Expected::Recalled { id, query, top, wanted }
    }

    fn about_all(&self) -> ReadResult<Vec<(ExpectationKind<'_>, &'static str)>> {
        let table = self.table;
        let mut kinds = Vec::new();
        let words = [
            (&table.insight, "insight", true, true),
            (&table.no_insight, "no_insight", true, false),
            (&table.mentioned, "mentioned", false, true),
            (&table.unmentioned, "unmentioned", false, false),
        ];
        for (words, key, insight, wanted) in words {
            let Some(words) = words else { continue };
            let words = self.words(words)?;
            kinds.push((ExpectationKind::Of(Expected::Mentioned { words, insight, wanted }), key));
        }
        if let Some(words) = &table.theme {
            let nights = table.nights.as_ref().map_or(2, |nights| *nights.get_ref());
            kinds.push((ExpectationKind::Of(Expected::Theme { words: self.words(words)?, nights }), "theme"));
        }
        let night = table.night.as_ref().map(|night| self.night(night)).transpose()?;
        if let Some(range) = &table.reduction {
            let within = self.within(range)?;
            if within.from < 0.0 || within.to > 1.0 {
                return Err(self.wrong(range.span(), "a reduction is a share, from 0 to 1"));
            }
            kinds.push((ExpectationKind::Of(Expected::Reduction(within, night)), "reduction"));
        }
        if let Some(kept) = &table.important_kept {
            if !kept.get_ref() {
                return Err(self.wrong(kept.span(), "important_kept can only be true"));
            }
            kinds.push((ExpectationKind::Of(Expected::ImportantKept(night)), "important_kept"));
        }
        if let Some(tokens) = table.tokens_under {
            kinds.push((ExpectationKind::Of(Expected::TokensUnder(tokens, night)), "tokens_under"));
        }
        if let Some(range) = &table.insights {
            kinds.push((ExpectationKind::Of(Expected::Insights(self.within(range)?)), "insights"));
        }
        if let Some(range) = &table.active_entries {
            kinds.push((ExpectationKind::Of(Expected::ActiveEntries(self.within(range)?)), "active_entries"));
        }
        Ok(kinds)
    }

    fn words(&self, words: &OneOrMany<String>) -> ReadResult<Vec<String>> {
        match words.items.iter().find(|word| word.get_ref().trim().is_empty()) {
            Some(empty) => {
                Err(self.wrong(empty.span(), "these words are empty, and everything mentions them"))
            }
            None => Ok(words.plain().cloned().collect()),
        }
    }

    fn within<T: PartialOrd + Copy + std::fmt::Display>(
        &self,
        range: &Spanned<(T, T)>,
    ) -> ReadResult<Bounds<T>> {
        let &(from, to) = range.get_ref();
        // Written so that NaN, which compares false with everything, is refused.
        if from <= to {
            return Ok(Bounds { from, to });
        }
        let what = format!("from {from} to {to} is no range");
        Err(self.script.source.diagnostic(range.span(), what).label("the lesser number comes first"))
    }

    /// Checks that modifiers match the kind, and that required ones are present.
    fn check_modifiers(&self, kind: &str) -> ReadResult<()> {
        let table = self.table;
        let modifiers = [
            ("times", table.times.as_ref().map(Spanned::span), &["corroborated"][..]),
            ("by", table.by.as_ref().map(Spanned::span), &["superseded", "contested"]),
            ("query", table.query.as_ref().map(Spanned::span), &["recalled", "not_recalled"]),
            ("top", table.top.as_ref().map(Spanned::span), &["recalled", "not_recalled"]),
            ("nights", table.nights.as_ref().map(Spanned::span), &["theme"]),
            (
                "night",
                table.night.as_ref().map(Spanned::span),
                &["reduction", "important_kept", "tokens_under"],
            ),
        ];
        for (key, span, kinds) in modifiers {
            let Some(span) = span.filter(|_| !kinds.contains(&kind)) else { continue };
            let what = format!("`{key}` does not go with `{kind}`");
            let kinds: Vec<String> = kinds.iter().map(|kind| format!("`{kind}`")).collect();
            return Err(self
                .script
                .source
                .diagnostic(span, what)
                .help(format!("it goes with {}", kinds.join(", "))));
        }
        if matches!(kind, "recalled" | "not_recalled")
            && table.query.as_ref().is_none_or(|query| query.get_ref().trim().is_empty())
        {
            let help = "say what the NPC is asked: query = \"who came to the gate?\"";
            return Err(self
                .script
                .source
                .diagnostic(self.span.clone(), format!("`{kind}` needs a `query`"))
                .help(help));
        }
        if let Some(top) = table.top.as_ref().filter(|top| !(1..=1000).contains(top.get_ref())) {
            return Err(self.wrong(top.span(), "top lies between 1 and 1000"));
        }
        let never = [&table.times, &table.nights].into_iter().flatten().find(|n| *n.get_ref() == 0);
        never.map_or(Ok(()), |number| Err(self.wrong(number.span(), "0 always holds; give 1 or more")))
    }

    fn night(&self, named: &Spanned<NightRef>) -> ReadResult<usize> {
        let found = match named.get_ref() {
            NightRef::Number(number) => usize::try_from(*number).ok().and_then(|n| n.checked_sub(1)),
            NightRef::Label(label) => self.nights.iter().position(|night| night.label == *label),
        };
        if let Some(found) = found.filter(|n| *n < self.nights.len()) {
            return Ok(found);
        }
        let labels: Vec<&str> = self.nights.iter().map(|night| night.label.as_str()).collect();
        let (what, label) = match named.get_ref() {
            NightRef::Number(number) => (format!("there is no night {number}"), String::new()),
            NightRef::Label(label) => (
                format!("there is no night called {:?}", label.as_str()),
                did_you_mean(label.as_str(), &labels),
            ),
        };
        let shown = labels.iter().take(12).map(|l| format!("{l:?}")).collect::<Vec<_>>().join(", ");
        let help = format!("nights are 1 to {}: {shown}", labels.len());
        let help = if labels.len() > 12 { format!("{help} and more") } else { help };
        Err(self.script.source.diagnostic(named.span(), what).label(label).help(help))
    }

    fn npcs(&self) -> ReadResult<Vec<NpcId>> {
        let known = &self.script.file.npcs;
        let mut npcs = Vec::new();
        for named in self.table.npc.iter().flat_map(|several| &several.items) {
            let Some(npc) = known.keys().find(|npc| npc.as_str() == named.get_ref()) else {
                let names: Vec<&str> = known.keys().map(NpcId::as_str).collect();
                let what = format!("the scenario has no NPC of the name `{}`", named.get_ref());
                let diagnostic = self
                    .script
                    .source
                    .diagnostic(named.span(), what)
                    .label(did_you_mean(named.get_ref(), &names));
                return Err(match allowed_list(&names) {
                    Some(allowed) => diagnostic.help(allowed),
                    None => diagnostic,
                });
            };
            npcs.push(npc.clone());
        }
        Ok(npcs)
    }

    /// Returns the owner of an id: the NPC that is named, or the only one that has it. The memory must be
    /// from that night or an earlier one.
    fn owner(&self, id: &Spanned<MemoryId>, asked: &[NpcId], after: usize) -> ReadResult<NpcId> {
        let given = id.get_ref();
        let Some(owners) = self.owners.owners(given) else { return Err(self.no_memory(id, asked)) };
        let (npc, since) = match (asked, owners.len()) {
            ([npc], _) => match owners.get(npc) {
                Some(since) => (npc, since),
                None => return Err(self.no_memory(id, asked)),
            },
            (_, 1) => owners.iter().next().ok_or_else(|| self.no_memory(id, asked))?,
            _ => {
                let names: Vec<String> = owners.keys().take(12).map(|npc| format!("`{npc}`")).collect();
                let what = format!("{} NPCs have a memory `{given}`", owners.len());
                let help = format!("say whose with `npc`: {}", names.join(", "));
                return Err(self.script.source.diagnostic(id.span(), what).help(help));
            }
        };
        if *since > after {
            let what =
                format!("`{given}` is lived through on night {}, after night {}", since + 1, after + 1);
            return Err(self
                .script
                .source
                .diagnostic(id.span(), what)
                .help("check it after that night: leave `after` out, or name a later one"));
        }
        Ok(npc.clone())
    }

    fn no_memory(&self, id: &Spanned<MemoryId>, asked: &[NpcId]) -> Diagnostic {
        let ids =
            self.owners.ids(|owners| asked.is_empty() || asked.iter().any(|npc| owners.contains_key(npc)));
        let whose = match asked {
            [npc] => format!("{npc} has no memory `{}`", id.get_ref()),
            _ => format!("nobody has a memory `{}`", id.get_ref()),
        };
        let diagnostic =
            self.script.source.diagnostic(id.span(), whose).label(did_you_mean(id.get_ref().as_str(), &ids));
        let others = self.owners.owners(id.get_ref());
        match others.and_then(|owners| owners.keys().next()) {
            Some(npc) => diagnostic.help(format!("{npc} has one")),
            None => diagnostic.help("ids are those of the memories in the days"),
        }
    }
}

/// Keys of which a table has exactly one.
pub(crate) const KINDS: [&str; 20] = [
    "kept",
    "forgotten",
    "told",
    "told_together",
    "known",
    "corroborated",
    "superseded",
    "contested",
    "recalled",
    "not_recalled",
    "insight",
    "no_insight",
    "mentioned",
    "unmentioned",
    "theme",
    "reduction",
    "important_kept",
    "tokens_under",
    "insights",
    "active_entries",
];
