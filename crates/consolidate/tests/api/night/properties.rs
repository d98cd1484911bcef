//! Properties of the nights of random lives.

use super::*;
use nightfold_english::English;
use nightfold_memory::{GameTime, LanguagePack, text::part};

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 4096, ..ProptestConfig::default() })]

    #[test]
    fn order_of_memories_changes_no_byte(
        (life, shuffled) in life().prop_flat_map(|life| {
            let [a, b] = life.days.clone().map(|day| Just(day).prop_shuffle());
            let shuffled = (a, b).prop_map({
                let config = life.config.clone();
                move |(a, b)| Life { config: config.clone(), days: [a, b] }
            });
            (Just(life), shuffled)
        }),
    ) {
        for (one, other) in life.nights().iter().zip(shuffled.nights()) {
            prop_assert_eq!(&one.night, &other.night);
            prop_assert_eq!(bytes(&one.night), bytes(&other.night));
        }
    }

    #[test]
    fn every_new_memory_has_exactly_one_fate(life in life()) {
        for PlannedNight { day, night, .. } in life.nights() {
            let mut fates: BTreeMap<_, usize> = night.memories.iter().map(|m| (&m.id, 0)).collect();
            prop_assert_eq!(fates.len(), night.memories.len(), "two memories share an id");
            for change in &night.changes {
                let decided = match change {
                    Change::Store { entry, .. } => std::slice::from_ref(&entry.id),
                    Change::Prune { id, .. } => std::slice::from_ref(id),
                    Change::Chunk { .. } | Change::Corroborate { .. } | Change::Collapse { .. } => {
                        change.sources()
                    }
                    _ => &[],
                };
                for id in decided {
                    *fates.get_mut(id).unwrap() += 1;
                }
            }
            prop_assert!(fates.values().all(|n| *n == 1), "{:?}", fates);
            let counts = night.report.input;
            prop_assert_eq!(
                day.memories.len(),
                night.memories.len() + counts.repeated_rows + counts.already_slept_on
            );
            night.check().unwrap();
        }
    }

    #[test]
    fn important_or_pinned_memories_keep_their_words(life in life()) {
        let important_from = life.config.triage.important;
        for slept in life.nights() {
            for memory in slept.new_memories() {
                if memory.pinned || memory.importance().get() >= important_from {
                    let stands = slept.is_active(&memory.text) || slept.is_superseded(memory);
                    prop_assert!(stands, "{:?}\n{:#?}", memory, slept.night.changes);
                }
            }
            let report = &slept.night.report;
            prop_assert!(report.important_kept <= report.important);
            let supersedes = slept.night.changes.iter().any(|c| matches!(c, Change::Supersede { .. }));
            prop_assert!(supersedes || report.important_kept == report.important);
        }
    }

    #[test]
    fn pinned_memories_are_neither_pruned_nor_synthesized(life in life()) {
        for slept in life.nights() {
            // A reading of a status belongs to its own moment: pinning one does not pin the next one with the
            // same text.
            let what = |m: &Memory| {
                let reading = (m.kind == Kind::Status).then(|| m.id.clone());
                (m.text.trim().to_owned(), m.kind == Kind::Chat, reading)
            };
            let pinned: BTreeSet<_> = slept.new_memories().filter(|m| m.pinned).map(what).collect();
            for change in &slept.night.changes {
                let gone = match change {
                    Change::Prune { id, .. } => std::slice::from_ref(id),
                    Change::Chunk { .. } => change.sources(),
                    _ => &[],
                };
                for memory in slept.night.memories.iter().filter(|m| gone.contains(&m.id)) {
                    prop_assert!(!pinned.contains(&what(memory)), "{:?} by {:?}", memory, change);
                }
            }
        }
    }

    #[test]
    fn report_counts_match_the_plan(life in life()) {
        for slept in life.nights() {
            let (night, report) = (&slept.night, &slept.night.report);
            let sources = |verb| of_verb(night, verb).map(|c| c.sources().len()).sum::<usize>();
            prop_assert_eq!(report.counts.memories, night.memories.len());
            let texts: BTreeSet<&str> = slept.new_memories().map(|m| m.text.trim()).collect();
            // A status of one place and the same of another are two things.
            prop_assert!(report.counts.distinct >= texts.len());
            let readings = |c: &Change| {
                let of_it = |m: &&Memory| m.id == *c.id() || c.sources().contains(&m.id);
                night.memories.iter().filter(of_it).map(|m| m.text.trim()).collect::<BTreeSet<_>>().len()
            };
            prop_assert_eq!(report.counts.collapsed, folded(night).map(|c| readings(c) - 1).sum::<usize>());
            let repeats = sources("collapse") - report.counts.collapsed;
            prop_assert_eq!(report.counts.memories, report.counts.distinct + report.input.blank + repeats);
            let fates = report.counts.stored + report.counts.chunked + report.counts.corroborated + report.counts.pruned;
            prop_assert_eq!(report.counts.distinct, fates + report.counts.collapsed);
            let (capped, unfounded): (Vec<_>, Vec<_>) =
                of_verb(night, "archive").partition(|c| c.reason().rule == Rule::Capped);
            prop_assert_eq!(report.counts.capped, capped.len());
            let ended = [Rule::Contradicted, Rule::Replaced];
            prop_assert!(unfounded.iter().all(|c| ended.contains(&c.reason().rule)));
            let clustered: usize = report.clusters.iter().map(|c| c.size).sum();
            let status = folded(night).count();
            prop_assert_eq!(report.counts.distinct, clustered + report.loose + status + report.counts.collapsed);
            let slots: usize = report.clusters.iter().map(|c| c.reflection_slots).sum();
            prop_assert!(report.counts.reflections <= slots + life.config.budget.conclusions);
            let share = |kept: usize, of: usize| if of == 0 { 0.0 } else { 1.0 - kept as f64 / of as f64 };
            prop_assert!((report.reduction - share(report.counts.kept, report.counts.distinct)).abs() < 1e-4);
            prop_assert!((report.raw_reduction - share(report.counts.kept, report.counts.memories)).abs() < 1e-4);
        }
    }

    #[test]
    fn kept_entries_stay_within_budget_and_requirements(life in life()) {
        let budget = &life.config.budget;
        for slept in life.nights() {
            let report = &slept.night.report;
            let rows = report.counts.distinct - report.counts.collapsed;
            // Unrated talk is limited by its text; how many of its memories stay depends on their lengths.
            let talk = slept.new_memories().filter(|m| m.kind == Kind::Chat && m.importance.is_none());
            let talk = talk.map(|m| m.text.trim()).collect::<BTreeSet<&str>>().len().min(rows);
            let share = |rows: usize| {
                ((rows as f64 * budget.storage + 1e-9).floor() as usize).max(usize::from(rows > 0))
            };
            for cluster in &report.clusters {
                prop_assert!(cluster.kept <= cluster.storage_budget, "{:?}", cluster);
            }
            // What changes a belief is kept whatever the budget.
            let news = of_verb(&slept.night, "store")
                .filter(|c| c.reason().rule == Rule::ChangesBelief)
                .filter_map(|c| c.entry())
                .map(|e| (e.text.trim(), e.kind == Kind::Chat));
            let musts: BTreeSet<(&str, bool)> = slept
                .new_memories()
                .filter(|m| m.pinned || m.importance().get() >= life.config.triage.important)
                .map(|m| (m.text.trim(), m.kind == Kind::Chat))
                .chain(news)
                .collect();
            // A memory that changes a belief is reserved a place, also where an entry is then corroborated by it.
            let musts_at_most = musts.len() + report.counts.superseded + report.counts.contested;
            let most = share(rows).max(budget.min_kept.max(musts_at_most + budget.min_kept.min(1)).min(rows)) + talk;
            prop_assert!((share(rows - talk)..=most).contains(&report.storage_budget), "{:#?}", report);
            let (said, kept) = (report.counts.talk_chars, report.counts.talk_chars_kept);
            prop_assert!(kept <= said && (talk > 0 || said == 0), "{:#?}", report);
            prop_assert!(report.counts.kept <= report.storage_budget.max(musts.len()), "{:#?}", report);
            let blamed = report.notes.iter().any(|n| n.starts_with("important"));
            prop_assert!(!(musts.is_empty() && blamed), "{:?}", report.notes);
            prop_assert!(report.counts.kept <= report.storage_budget || !report.notes.is_empty(), "{:#?}", report);
        }
    }

    #[test]
    fn night_resumes_after_every_step(life in life()) {
        for PlannedNight { day, before, night, .. } in life.nights() {
            let draft: Draft =
                reread(&Draft::begin(reread(&day), reread(&before), model(), &life.config, &English).unwrap());
            let vectors = reread(&embed_all(&draft.texts()));
            let triaged: Triaged = reread(&draft.triage(vectors, &English).unwrap());
            let told: Synthesized = reread(&triaged.synthesize_by_rules(&English));
            let vectors = reread(&embed_all(&told.texts()));
            let reconciling: Reconciling = reread(&told.reconcile(vectors, &English).unwrap());
            let resumed = reconciling.finish_by_rules(&English);
            prop_assert_eq!(&resumed, &night);
            prop_assert_eq!(bytes(&resumed), bytes(&night));
            // A saved plan makes the same version as the one it was saved from: nights after it still fit.
            prop_assert_eq!(bytes(&reread(&night)), bytes(&night));
        }
    }

    #[test]
    fn planning_a_day_again_changes_nothing(life in life()) {
        for PlannedNight { day, night, after, .. } in life.nights() {
            let rows = day.memories.len();
            let again = sleep(day, after.clone(), &life.config);
            prop_assert!(again.is_empty(), "{:#?}", again.changes);
            prop_assert_eq!(again.report.input.already_slept_on, rows);
            prop_assert_eq!(again.next_version().unwrap(), after.version);
            prop_assert!(night.is_empty() || after.version != night.base_version);
        }
    }

    #[test]
    fn rule_synthesis_keeps_numbers_names_and_negations(life in life()) {
        for PlannedNight { night, .. } in life.nights() {
            for change in of_verb(&night, "chunk") {
                let told = &change.entry().unwrap().text;
                let said: BTreeSet<String> = words(told).into_iter().collect();
                let negated = |text: &str| words(text).iter().any(|w| NEGATIONS.contains(&w.as_str()));
                let sources = cited(&night, change);
                prop_assert!(sources.len() >= 2, "{:?}", change);
                prop_assert!(!told.trim().is_empty());
                // Of many readings the first and the last are always included.
                let status = change.reason().rule == Rule::StatusRepeat;
                let sure = |n: &usize| !status || *n == 0 || *n + 1 == sources.len();
                for source in (0..sources.len()).filter(sure).map(|n| sources[n]) {
                    prop_assert!(numbers(source).is_subset(&numbers(told)), "{source:?} in {told:?}");
                    let named = NAMES.iter().filter(|n| source.contains(**n));
                    named.for_each(|n| assert!(said.contains(&n.to_lowercase()), "{source:?} in {told:?}"));
                    prop_assert!(!negated(source) || negated(told), "{source:?} in {told:?}");
                }
            }
        }
    }

    #[test]
    fn rule_synthesis_is_made_of_sentences_of_its_sources(life in life()) {
        for PlannedNight { night, .. } in life.nights() {
            for change in of_verb(&night, "chunk") {
                let told = &change.entry().unwrap().text;
                let sources = cited(&night, change);
                if change.reason().rule == Rule::StatusRepeat {
                    let said: BTreeSet<String> = sources.iter().flat_map(|source| words(source)).collect();
                    prop_assert!(words(told).iter().all(|word| said.contains(word)), "{told:?} of {sources:?}");
                    continue;
                }
                let sentences = |text: &str| {
                    let spans = English.sentences(text).into_iter();
                    spans.map(|span| part(text, span).trim_end_matches('.').to_owned()).collect::<Vec<_>>()
                };
                let all: BTreeSet<String> = sources.iter().flat_map(|source| sentences(source)).collect();
                prop_assert!(sentences(told).iter().all(|one| all.contains(one)), "{told:?} of {sources:?}");
            }
        }
    }

    #[test]
    fn rule_synthesis_adds_no_number_or_name(life in life()) {
        for PlannedNight { night, before, .. } in life.nights() {
            for change in of_verb(&night, "chunk").chain(of_verb(&night, "reflect")) {
                let said = &change.entry().unwrap().text;
                let earlier = before.entries.iter().filter(|e| change.sources().contains(&e.entry.id));
                let told = cited(&night, change).into_iter().chain(earlier.map(|e| e.entry.text.as_str()));
                let all = told.collect::<Vec<_>>().join("\n");
                let mut known = numbers(&all);
                if change.verb() == "reflect" {
                    known.extend(counted(&night, &before, change));
                }
                prop_assert!(numbers(said).is_subset(&known), "{said:?} of {all:?}");
                for name in NAMES.iter().chain(&[NPC]) {
                    let earlier = before.entries.iter().filter(|e| change.sources().contains(&e.entry.id));
                    let mut actors = earlier.flat_map(|e| &e.entry.actors).chain(&change.entry().unwrap().actors);
                    let takes_part = actors.any(|actor| actor.contains(name));
                    prop_assert!(!said.contains(name) || all.contains(name) || takes_part, "{said:?} of {all:?}");
                }
            }
        }
    }

    #[test]
    fn reflection_rests_on_the_day_and_another_memory_and_is_one_short_sentence(life in life()) {
        for PlannedNight { night, before, .. } in life.nights() {
            for change in of_verb(&night, "reflect") {
                let entry = change.entry().unwrap();
                prop_assert_eq!((entry.form, entry.kind), (RecordKind::Reflection, Kind::Reflection));
                let cites: BTreeSet<_> = change.sources().iter().collect();
                let of_the_day = |id: &MemoryId| night.memories.iter().find(|m| m.id == *id);
                prop_assert!(cites.len() >= 2, "{:?}", change);
                prop_assert!(cites.iter().any(|id| of_the_day(id).is_some()), "{:?}", change);
                // Reflections rest on what was lived, never on reflections.
                let concluded = change.reason().rule == Rule::Concluded;
                for id in cites {
                    let today = of_the_day(id).is_some_and(|m| m.kind != Kind::Reflection);
                    let earlier = before.entries.iter().any(|e| e.entry.id == *id && e.entry.kind != Kind::Reflection);
                    prop_assert!(today || concluded && earlier, "{:?}", change);
                }
                if concluded {
                    let values = &change.reason().values;
                    let count = |name: &str| match values.get(name) {
                        Some(Value::Count(count)) => *count,
                        other => panic!("{name} is {other:?}"),
                    };
                    prop_assert_eq!(count("occasions") + count("counter"), count("of"));
                }
                prop_assert!(entry.text.split_whitespace().count() <= 24, "{}", entry.text);
                prop_assert_eq!(English.sentences(&entry.text).len(), 1, "{}", &entry.text);
            }
        }
    }

    #[test]
    fn last_corroborated_entry_is_not_superseded_by_an_earlier_statement(life in life()) {
        for PlannedNight { night, .. } in life.nights() {
            // Repeats of the memory that corroborates are told of as one: the last counts.
            let confirmed: BTreeMap<&MemoryId, GameTime> = night
                .changes
                .iter()
                .filter_map(|change| match change {
                    Change::Corroborate { id, last_at, .. } => Some((id, *last_at)),
                    _ => None,
                })
                .collect();
            for change in of_verb(&night, "supersede") {
                let holds_now = &change.sources()[0];
                let entry = night.changes.iter().filter_map(Change::entry).find(|e| e.id == *holds_now);
                // A late statement is superseded by an entry of an earlier night, which need not be
                // corroborated this night.
                let Some(newer) = entry.map(|e| e.last_at).or_else(|| confirmed.get(holds_now).copied()) else { continue };
                prop_assert!(confirmed.get(change.id()).is_none_or(|at| *at <= newer), "{:#?}", night.changes);
            }
        }
    }
}

/// The properties above prove nothing about changes that never occur.
#[test]
fn random_lives_cover_every_kind_of_change() {
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..64 {
        let life = life().new_tree(&mut runner).unwrap().current();
        for slept in life.nights() {
            slept.night.changes.iter().for_each(|c| *seen.entry(c.verb()).or_default() += 1);
            *seen.entry("overrun").or_default() += slept.night.report.notes.len();
            *seen.entry("loose").or_default() += slept.night.report.loose;
        }
    }
    assert!(seen.len() == 13 && seen.values().all(|n| *n >= 3), "{seen:?}");
}
