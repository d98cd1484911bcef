//! Expectations: one kind each, about existing nights, NPCs and memories.

use std::{fmt::Display, ops::Range};

use nightfold_memory::{MemoryId, NpcId};
use toml::Spanned;

use super::{owners::MemoryOwners, script::Script};
use crate::{
    diagnostic::{Diagnostic, Diagnostics, listed},
    format::{ExpectTable, KINDS, NightRef, OneOrMany},
    scenario::{Bounds, Expectation, Expected, ExpectedFate, ScenarioNight},
};

/// Reads all expectations.
pub(super) fn all(
    script: &Script,
    nights: &[ScenarioNight],
    owners: &MemoryOwners,
) -> Result<Vec<Expectation>, Diagnostics> {
    let (mut expectations, mut diagnostics) = (Vec::new(), Vec::new());
    for table in &script.file.expect {
        let reader = ExpectationReader { script, nights, owners, table: table.get_ref(), span: table.span() };
        match reader.read() {
            Ok(read) => expectations.extend(read),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    Diagnostics::refuse(diagnostics)?;
    Ok(expectations)
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

/// Kind of an expectation, as it was written.
enum ExpectationKind<'a> {
    /// About memories, each by itself.
    Each(&'a OneOrMany<MemoryId>, ExpectedFate),
    /// About memories together.
    Together(&'a OneOrMany<MemoryId>),
    /// About all entries of NPCs.
    Of(Expected),
}

impl ExpectationReader<'_> {
    fn read(&self) -> ReadResult<Vec<Expectation>> {
        let (key, kind) = self.kind()?;
        self.check_modifiers(key)?;
        let after = self.table.after.as_ref().map_or(Ok(self.nights.len() - 1), |night| self.night(night))?;
        let npcs = self.npcs()?;
        let make = |expected, npcs| Expectation {
            expected,
            npcs,
            after,
            because: self.table.because.clone(),
            line: self.wrong(self.span.clone(), "").line,
        };
        // Of a memory whose owner is not named, the only owner is found.
        let asked: Vec<Option<&NpcId>> =
            if npcs.is_empty() { vec![None] } else { npcs.iter().map(Some).collect() };
        let memory = |id: &Spanned<MemoryId>, others: &[Spanned<MemoryId>], fate: &ExpectedFate| {
            let each = asked.iter().map(|npc| {
                let owner = self.owner(id, *npc, after)?;
                for other in others.iter().chain(&self.table.by) {
                    self.owner(other, Some(&owner), after)?;
                }
                let expected = Expected::Memory { id: id.get_ref().clone(), fate: fate.clone() };
                Ok(make(expected, vec![owner]))
            });
            each.collect::<ReadResult<Vec<_>>>()
        };
        match kind {
            ExpectationKind::Of(expected) => {
                if let Some(night) = &self.table.night
                    && self.night(night)? > after
                {
                    let what = "this night comes after the one it is checked after";
                    return Err(self.wrong(night.span(), what));
                }
                Ok(vec![make(expected, npcs)])
            }
            ExpectationKind::Together(ids) => {
                let [first, others @ ..] = ids.items.as_slice() else { return Ok(Vec::new()) };
                if others.is_empty() {
                    return Err(self.wrong(ids.span.clone(), "told_together is about two memories at least"));
                }
                let with = others.iter().map(|id| id.get_ref().clone()).collect();
                memory(first, others, &ExpectedFate::Told { with })
            }
            ExpectationKind::Each(ids, fate) => {
                let each = ids.items.iter().map(|id| memory(id, &[], &fate));
                Ok(each.collect::<ReadResult<Vec<_>>>()?.concat())
            }
        }
    }

    fn wrong(&self, span: Range<usize>, what: impl Into<String>) -> Diagnostic {
        self.script.source.diagnostic(span, what)
    }

    /// Returns the only kind of this table, with its key.
    fn kind(&self) -> ReadResult<(&'static str, ExpectationKind<'_>)> {
        let mut kinds = self.about_memories();
        kinds.extend(self.about_all()?);
        if kinds.len() > 1 {
            let keys: Vec<String> = kinds.iter().map(|(key, _)| format!("`{key}`")).collect();
            let what = format!("this expectation has {} kinds: {}", keys.len(), keys.join(" and "));
            return Err(self.wrong(self.span.clone(), what).help("write one [[expect]] table for each"));
        }
        kinds.pop().ok_or_else(|| {
            let help = format!("write one of these in it: {}", listed(&KINDS));
            self.wrong(self.span.clone(), "this expectation says nothing").help(help)
        })
    }

    fn about_memories(&self) -> Vec<(&'static str, ExpectationKind<'_>)> {
        let table = self.table;
        let by = || table.by.as_ref().map(|by| by.get_ref().clone());
        let recalled = |wanted| ExpectedFate::Recalled {
            query: table.query.as_ref().map_or_else(String::new, |query| query.get_ref().clone()),
            top: table.top.as_ref().map_or(3, |top| usize::from(*top.get_ref())),
            wanted,
        };
        let times = table.times.as_ref().map_or(1, |times| *times.get_ref());
        let each = [
            ("kept", &table.kept, ExpectedFate::Kept),
            ("forgotten", &table.forgotten, ExpectedFate::Forgotten),
            ("told", &table.told, ExpectedFate::Told { with: Vec::new() }),
            ("known", &table.known, ExpectedFate::Known),
            ("corroborated", &table.corroborated, ExpectedFate::Corroborated { times }),
            ("superseded", &table.superseded, ExpectedFate::Superseded { by: by() }),
            ("contested", &table.contested, ExpectedFate::Contested { by: by() }),
            ("recalled", &table.recalled, recalled(true)),
            ("not_recalled", &table.not_recalled, recalled(false)),
        ];
        let each = each
            .into_iter()
            .filter_map(|(key, ids, fate)| Some((key, ExpectationKind::Each(ids.as_ref()?, fate))));
        let together =
            table.told_together.iter().map(|ids| ("told_together", ExpectationKind::Together(ids)));
        each.chain(together).collect()
    }

    fn about_all(&self) -> ReadResult<Vec<(&'static str, ExpectationKind<'_>)>> {
        let table = self.table;
        let mut kinds = Vec::new();
        let words = [
            ("insight", &table.insight, true, true),
            ("no_insight", &table.no_insight, true, false),
            ("mentioned", &table.mentioned, false, true),
            ("unmentioned", &table.unmentioned, false, false),
        ];
        for (key, words, insight, wanted) in words {
            let Some(words) = words else { continue };
            kinds.push((key, Expected::Mentioned { words: self.words(words)?, insight, wanted }));
        }
        if let Some(words) = &table.theme {
            let nights = table.nights.as_ref().map_or(2, |nights| *nights.get_ref());
            kinds.push(("theme", Expected::Theme { words: self.words(words)?, nights }));
        }
        let night = table.night.as_ref().map(|night| self.night(night)).transpose()?;
        if let Some(range) = &table.reduction {
            let within = self.within(range)?;
            if within.from < 0.0 || within.to > 1.0 {
                return Err(self.wrong(range.span(), "a reduction is a share, from 0 to 1"));
            }
            kinds.push(("reduction", Expected::Reduction(within, night)));
        }
        if let Some(kept) = &table.important_kept {
            if !kept.get_ref() {
                return Err(self.wrong(kept.span(), "important_kept can only be true"));
            }
            kinds.push(("important_kept", Expected::ImportantKept(night)));
        }
        if let Some(tokens) = table.tokens_under {
            kinds.push(("tokens_under", Expected::TokensUnder(tokens, night)));
        }
        if let Some(range) = &table.insights {
            kinds.push(("insights", Expected::Insights(self.within(range)?)));
        }
        if let Some(range) = &table.active_entries {
            kinds.push(("active_entries", Expected::ActiveEntries(self.within(range)?)));
        }
        Ok(kinds.into_iter().map(|(key, expected)| (key, ExpectationKind::Of(expected))).collect())
    }

    fn words(&self, words: &OneOrMany<String>) -> ReadResult<Vec<String>> {
        match words.items.iter().find(|word| word.get_ref().trim().is_empty()) {
            Some(empty) => {
                Err(self.wrong(empty.span(), "these words are empty, and everything mentions them"))
            }
            None => Ok(words.items.iter().map(|word| word.get_ref().clone()).collect()),
        }
    }

    fn within<T: PartialOrd + Copy + Display>(&self, range: &Spanned<(T, T)>) -> ReadResult<Bounds<T>> {
        let &(from, to) = range.get_ref();
        // Written so that NaN, which compares false with everything, is refused.
        if from <= to {
            return Ok(Bounds { from, to });
        }
        let diagnostic = self.wrong(range.span(), format!("from {from} to {to} is no range"));
        Err(diagnostic.label("the lesser number comes first"))
    }

    /// Checks that modifiers match the kind, and that required ones are present.
    fn check_modifiers(&self, kind: &str) -> ReadResult<()> {
        fn span<T>(value: Option<&Spanned<T>>) -> Option<Range<usize>> {
            value.map(Spanned::span)
        }
        let table = self.table;
        let modifiers = [
            ("times", span(table.times.as_ref()), &["corroborated"][..]),
            ("by", span(table.by.as_ref()), &["superseded", "contested"]),
            ("query", span(table.query.as_ref()), &["recalled", "not_recalled"]),
            ("top", span(table.top.as_ref()), &["recalled", "not_recalled"]),
            ("nights", span(table.nights.as_ref()), &["theme"]),
            ("night", span(table.night.as_ref()), &["reduction", "important_kept", "tokens_under"]),
        ];
        for (key, span, kinds) in modifiers {
            let Some(span) = span.filter(|_| !kinds.contains(&kind)) else { continue };
            let diagnostic = self.wrong(span, format!("`{key}` does not go with `{kind}`"));
            return Err(diagnostic.help(format!("it goes with {}", listed(kinds))));
        }
        if matches!(kind, "recalled" | "not_recalled")
            && table.query.as_ref().is_none_or(|query| query.get_ref().trim().is_empty())
        {
            let help = "say what the NPC is asked: query = \"who came to the gate?\"";
            return Err(self.wrong(self.span.clone(), format!("`{kind}` needs a `query`")).help(help));
        }
        if let Some(top) = table.top.as_ref().filter(|top| !(1..=1000).contains(top.get_ref())) {
            return Err(self.wrong(top.span(), "top lies between 1 and 1000"));
        }
        let never = table.times.iter().chain(&table.nights).find(|n| *n.get_ref() == 0);
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
        let diagnostic = match named.get_ref() {
            NightRef::Number(number) => self.wrong(named.span(), format!("there is no night {number}")),
            NightRef::Label(label) => self
                .wrong(named.span(), format!("there is no night called {:?}", label.as_str()))
                .suggest(label.as_str(), &labels),
        };
        let shown: Vec<String> = labels.iter().take(12).map(|label| format!("{label:?}")).collect();
        let more = if labels.len() > 12 { " and more" } else { "" };
        Err(diagnostic.help(format!("nights are 1 to {}: {}{more}", labels.len(), shown.join(", "))))
    }

    fn npcs(&self) -> ReadResult<Vec<NpcId>> {
        let named = self.table.npc.iter().flat_map(|several| &several.items);
        let known = |named: &Spanned<String>| {
            let npc = self.script.file.npcs.keys().find(|npc| npc.as_str() == named.get_ref());
            npc.cloned().ok_or_else(|| self.script.unknown_npc(named))
        };
        named.map(known).collect()
    }

    /// Returns the owner of an id: the NPC that is named, or the only one that has it. The memory must be
    /// from that night or an earlier one.
    fn owner(&self, id: &Spanned<MemoryId>, asked: Option<&NpcId>, after: usize) -> ReadResult<NpcId> {
        let given = id.get_ref();
        let owners = self.owners.owners(given).into_iter().flatten();
        let owners: Vec<_> = owners.filter(|(npc, _)| asked.is_none_or(|asked| asked == *npc)).collect();
        match owners.as_slice() {
            [] => Err(self.no_memory(id, asked)),
            [(npc, since)] if **since <= after => Ok((*npc).clone()),
            [(_, since)] => {
                let nights = format!("night {}, after night {}", *since + 1, after + 1);
                let what = format!("`{given}` is lived through on {nights}");
                let help = "check it after that night: leave `after` out, or name a later one";
                Err(self.wrong(id.span(), what).help(help))
            }
            several => {
                let names: Vec<String> = several.iter().take(12).map(|(npc, _)| format!("`{npc}`")).collect();
                let diagnostic =
                    self.wrong(id.span(), format!("{} NPCs have a memory `{given}`", several.len()));
                Err(diagnostic.help(format!("say whose with `npc`: {}", names.join(", "))))
            }
        }
    }

    fn no_memory(&self, id: &Spanned<MemoryId>, asked: Option<&NpcId>) -> Diagnostic {
        let given = id.get_ref();
        let ids = self.owners.ids(|owners| asked.is_none_or(|npc| owners.contains_key(npc)));
        let whose = asked.map_or("nobody has a".to_owned(), |npc| format!("{npc} has no"));
        let help = match self.owners.owners(given).and_then(|owners| owners.keys().next()) {
            Some(npc) => format!("{npc} has one"),
            None => "ids are those of the memories in the days".to_owned(),
        };
        let diagnostic = self.wrong(id.span(), format!("{whose} memory `{given}`"));
        diagnostic.suggest(given.as_str(), &ids).help(help)
    }
}
