//! Changes that a reviewer may make to a plan.

use std::collections::BTreeMap;

use nightfold_consolidate::review::{
    Choices, EarlierEntries, Extent, Line, LineForm, MemoryFate, NightView, ReviewError, Reviewing, Selector,
    Wanted,
};
use nightfold_english::Packs;
use nightfold_memory::effect::advance;
use nightfold_memory::{
    Change, ClusterReport, CohesionParts, Config, Fault, ImportantEnded, Kind, Memory, MemoryId,
    MemorySnapshot, NightPlan, NpcNight, PLAN_FORMAT, Reason, RecordKind, Rule, RunReport, State,
    ValidConfig, Vector,
};
use proptest::prelude::*;

use crate::support::{at, day, embed, embed_all, id, memory, of_verb, sleep};

fn plan_of(nights: Vec<NpcNight>) -> NightPlan {
    let report = RunReport::sum(1, nights.iter().map(|n| &n.report));
    NightPlan { format: PLAN_FORMAT, nights, report }
}

fn reviewed(plan: NightPlan, choices: &Choices) -> Result<NpcNight, ReviewError> {
    let reviewing = Reviewing::begin(plan, choices, &ValidConfig::default(), &Packs)?;
    let vectors = embed_all(&reviewing.texts_to_embed());
    Ok(reviewing.finish(&vectors)?.nights.pop().unwrap())
}

fn except(named: &[&str]) -> Choices {
    let selectors = named.iter().map(|n| n.parse::<Selector>().unwrap()).collect();
    Choices { wanted: Wanted::Except(selectors), ..Choices::default() }
}

fn saying(id: &MemoryId, text: &str) -> Choices {
    Choices { texts: BTreeMap::from([(id.clone(), text.to_owned())]), ..Choices::default() }
}

fn after(past: &MemorySnapshot, night: &NpcNight) -> MemorySnapshot {
    let mut past = past.clone();
    advance(&mut past, night).unwrap();
    past
}

fn active(past: &MemorySnapshot) -> Vec<&str> {
    past.entries.iter().filter(|e| e.state == State::Active).map(|e| e.entry.text.as_str()).collect()
}

/// Returns a night that synthesizes two memories, keeps one and prunes one.
fn night() -> NpcNight {
    let mut config = Config::default();
    (config.triage.similar, config.budget.storage, config.budget.min_kept) = (0.6, 0.5, 0);
    let memories = vec![
        memory("a", 1, "I swept the common room at dawn and at dusk", 4),
        memory("b", 2, "I swept the common room at dusk", 4),
        memory("c", 3, "Joss owes Tom 14 silver", 8),
        memory("d", 4, "rain fell", 1),
    ];
    let night = sleep(day(0, memories), MemorySnapshot::empty(), &config.check().unwrap());
    assert_eq!(of_verb(&night, "chunk").count(), 1, "{:#?}", night.changes);
    assert_eq!((of_verb(&night, "store").count(), of_verb(&night, "prune").count()), (1, 1));
    night
}

/// Returns the headings of a night, and the texts of its items.
fn shown(night: &NpcNight, extent: Extent) -> (Vec<String>, Vec<String>) {
    let known = EarlierEntries::new();
    let lines = NightView::of(night, &known).lines(extent).lines;
    let of = |form| lines.iter().filter(|line| line.form == form).map(Line::text).collect();
    (of(LineForm::Heading), of(LineForm::Item))
}

#[test]
fn theme_tells_why_it_has_its_room_and_loose_memories_are_one_line() {
    let mut night = night();
    let theme = ClusterReport {
        name: String::new(),
        size: 2,
        members: vec![id("a"), id("b")],
        cohesion: 0.61,
        cohesion_parts: CohesionParts::default(),
        recurred: 1,
        storage_budget: 2,
        kept: 1,
        token_budget: 640,
        reflection_slots: 1,
    };
    night.report.clusters = vec![theme];
    let headings = [
        "Theme 1: “I swept the common room at dawn and at dusk” (hangs together 0.61: 2 of 2 places, 1 kept, 640 tokens, up to 1 \
         insight, known from 1 earlier night)",
        "Loose (2 memories, 1 kept, above all “Joss owes Tom 14 silver”)",
    ];
    let (brief, items) = shown(&night, Extent::Brief);
    assert_eq!(brief, headings);
    assert!(items.len() == 3 && items.iter().all(|item| !item.contains("Joss")), "{items:?}");
    let (all, items) = shown(&night, Extent::Review);
    assert_eq!((all, items.len()), (brief, 5), "{items:?}");
    night.report.clusters[0].name = "The common room".to_owned();
    assert!(shown(&night, Extent::Brief).0[0].starts_with("Theme 1: The common room (hangs"));
    night.report.clusters.clear();
    let (headings, items) = shown(&night, Extent::Brief);
    assert_eq!((headings.len(), items.len()), (1, 5), "a day without themes shows its memories");
}

#[test]
fn declined_memory_is_archived() {
    let night = reviewed(plan_of(vec![night()]), &except(&["c"])).unwrap();
    let gone = of_verb(&night, "prune").find(|c| *c.id() == id("c")).unwrap();
    assert_eq!(gone.reason().rule, Rule::Declined);
    assert!(!active(&after(&MemorySnapshot::empty(), &night)).contains(&"Joss owes Tom 14 silver"));
    assert_eq!(
        (night.report.counts.stored, night.report.counts.kept, night.report.important_kept),
        (0, 1, 0)
    );
    assert_eq!(night.report.notes, ["1 of the plan's changes declined in review"]);
}

#[test]
fn declined_synthesis_or_pruning_keeps_memories_verbatim() {
    let plan = night();
    let told = of_verb(&plan, "chunk").next().unwrap().id().as_str().to_owned();
    let night = reviewed(plan_of(vec![plan]), &except(&[&told, "prune:d"])).unwrap();
    let past = after(&MemorySnapshot::empty(), &night);
    assert_eq!(active(&past).len(), 4, "{:#?}", night.changes);
    assert!(past.entries.iter().all(|e| e.entry.vector.is_some()));
    assert_eq!(
        (night.report.counts.stored, night.report.counts.syntheses, night.report.counts.pruned),
        (4, 0, 0)
    );
}

#[test]
fn only_selected_changes_are_made() {
    let only = Choices { wanted: Wanted::Only(vec!["c".parse().unwrap()]), ..Choices::default() };
    let night = reviewed(plan_of(vec![night()]), &only).unwrap();
    assert_eq!(of_verb(&night, "store").count(), 4);
    assert_eq!(night.changes.len(), 4);
}

#[test]
fn contest_is_declined_with_either_unwritten_side() {
    let memories = vec![
        memory("seen", 1, "I saw the river gate shut at noon", 8),
        memory("heard", 2, "Joss owes Tom 14 silver", 8),
        memory("other", 3, "wolves howled behind the mill", 8),
    ];
    let mut plan = sleep(day(0, memories), MemorySnapshot::empty(), &ValidConfig::default());
    assert_eq!(of_verb(&plan, "store").count(), 3, "{:#?}", plan.changes);
    let (sources, reason) = (vec![id("heard")], Reason::new(Rule::Contested));
    plan.changes.push(Change::Contest { id: id("seen"), sources, reason });
    plan.report.counts.contested = 1;
    for (declined, contested) in
        [("store:seen", 0), ("heard", 0), ("contest:seen", 0), ("store:other", 1), ("contest:other", 9)]
    {
        let Ok(night) = reviewed(plan_of(vec![plan.clone()]), &except(&[declined])) else {
            assert_eq!(contested, 9, "there is no such change");
            continue;
        };
        assert_eq!(of_verb(&night, "contest").count(), contested, "{declined}");
        assert_eq!(night.report.counts.contested, contested);
        let marked = after(&MemorySnapshot::empty(), &night).entries;
        assert_eq!(marked.iter().filter(|e| !e.contested_with.is_empty()).count(), 2 * contested);
    }
    let only = ["contest:seen", "store:seen", "store:heard"].map(|named| named.parse().unwrap()).to_vec();
    let only = Choices { wanted: Wanted::Only(only), ..Choices::default() };
    assert_eq!(reviewed(plan_of(vec![plan]), &only).unwrap().report.counts.contested, 1);
}

#[test]
fn end_is_declined_with_an_unwritten_entry_or_a_text_without_the_position() {
    let memories = vec![
        memory("seen", 1, "I saw the river gate shut at noon", 8),
        memory("heard", 2, "Joss owes Tom 14 silver", 8),
        memory("other", 3, "wolves howled behind the mill", 8),
    ];
    let mut plan = sleep(day(0, memories), MemorySnapshot::empty(), &ValidConfig::default());
    let (sources, reason) = (vec![id("heard")], Reason::new(Rule::Ended));
    let position = "the river gate shut".to_owned();
    plan.report.important_ended = vec![ImportantEnded { id: id("seen"), text: position.clone() }];
    plan.changes.push(Change::End { id: id("seen"), position, since: at(2), sources, reason });
    plan.report.counts.ended = 1;
    for (declined, ended) in [("store:seen", 0), ("heard", 0), ("end:seen", 0), ("store:other", 1)] {
        let night = reviewed(plan_of(vec![plan.clone()]), &except(&[declined])).unwrap();
        assert_eq!((of_verb(&night, "end").count(), night.report.counts.ended), (ended, ended), "{declined}");
        assert_eq!(night.report.important_ended.len(), ended, "{declined}");
        let marked = after(&MemorySnapshot::empty(), &night).entries;
        assert_eq!(marked.iter().filter(|e| !e.ended.is_empty()).count(), ended);
    }
    let before = EarlierEntries::new();
    let diff = NightView::of(&plan, &before);
    let known = (diff.known[0].verb, diff.known[0].position, diff.known[0].since);
    assert_eq!(
        known,
        ("end", Some("the river gate shut"), Some(at(2))),
        "a position of a memory of the day, too"
    );

    let mut plan = night();
    let told = of_verb(&plan, "chunk").next().unwrap().entry().unwrap().clone();
    let position = told.text.split_whitespace().next().unwrap().to_owned();
    let (sources, reason) = (vec![id("c")], Reason::new(Rule::Ended));
    plan.changes.push(Change::End { id: told.id.clone(), position, since: at(2), sources, reason });
    let night =
        reviewed(plan_of(vec![plan]), &saying(&told.id, "the common room was swept at dawn and at dusk"));
    assert_eq!(of_verb(&night.unwrap(), "end").count(), 0);
}

#[test]
fn contested_memories_show_the_other_side() {
    let memories = vec![
        memory("seen", 1, "I saw the river gate shut at noon", 8),
        memory("heard", 2, "Joss owes Tom 14 silver", 8),
    ];
    let mut plan = sleep(day(0, memories), MemorySnapshot::empty(), &ValidConfig::default());
    let reason = || Reason::new(Rule::Contested);
    plan.changes.push(Change::Contest { id: id("seen"), sources: vec![id("heard")], reason: reason() });
    plan.changes.push(Change::Contest { id: id("old"), sources: vec![id("heard")], reason: reason() });
    let before = EarlierEntries::new();
    let diff = NightView::of(&plan, &before);
    let lived: Vec<_> = diff.sections.iter().flat_map(|section| &section.memories).collect();
    let told: Vec<_> =
        lived.iter().map(|m| (m.id.as_str(), m.fate, m.by.as_ref().map(|by| by.id.as_str()))).collect();
    assert_eq!(
        told,
        [("seen", MemoryFate::Contested, Some("heard")), ("heard", MemoryFate::Contested, Some("seen"))]
    );
    // A contest between memories of the day is shown with them; one with an older entry is shown with the
    // entries.
    let known: Vec<_> = diff.known.iter().map(|known| (known.verb, known.entry.id.as_str())).collect();
    assert_eq!(known, [("contest", "old")]);
}

#[test]
fn dependents_of_a_declined_change_are_declined() {
    let past = after(
        &MemorySnapshot::empty(),
        &sleep(
            day(0, vec![memory("old", 1, "the river gate is open", 5)]),
            MemorySnapshot::empty(),
            &ValidConfig::default(),
        ),
    );
    let mut config = Config::default();
    config.reconcile.min_similarity = 0.6;
    let news = day(1, vec![memory("a", 30, "the river gate is not open", 5)]);
    let night = sleep(news, past.clone(), &config.check().unwrap());
    assert_eq!(of_verb(&night, "supersede").count(), 1);
    let night = reviewed(plan_of(vec![night]), &except(&["a"])).unwrap();
    assert_eq!(of_verb(&night, "supersede").count(), 0, "{:#?}", night.changes);
    assert_eq!(active(&after(&past, &night)), ["the river gate is open"]);
}

/// A reflection is archived with the statement that it states, and stays if that one stays.
#[test]
fn reflection_is_archived_with_the_statement_it_states() {
    let gate = "the river gate is open";
    let mut past = after(
        &MemorySnapshot::empty(),
        &sleep(day(0, vec![memory("old", 1, gate, 5)]), MemorySnapshot::empty(), &ValidConfig::default()),
    );
    for (name, text) in [
        ("says-it", "The gate kept coming up in my day. As it stands, the river gate is open."),
        ("says-else", "The gate kept coming up in my day. What counts is that Pell asked about his boat."),
    ] {
        let mut insight = past.entries[0].clone();
        (insight.entry.id, insight.entry.text) = (id(name), text.to_owned());
        (insight.entry.form, insight.entry.kind) = (RecordKind::Reflection, Kind::Reflection);
        insight.entry.sources = vec![id("old")];
        insight.entry.vector = Some(Vector::new(embed(text)).unwrap());
        past.entries.push(insight);
    }
    let mut config = Config::default();
    config.reconcile.min_similarity = 0.6;
    let news = day(1, vec![memory("a", 30, "the river gate is not open", 5)]);
    let night = sleep(news, past.clone(), &config.check().unwrap());
    let [gone] = &of_verb(&night, "archive").collect::<Vec<_>>()[..] else { panic!("{:#?}", night.changes) };
    assert_eq!((gone.id(), gone.sources()), (&id("says-it"), &[id("a")][..]));
    assert_eq!(gone.reason().values["rests_on"].to_string(), "old");

    let kept = reviewed(plan_of(vec![night.clone()]), &except(&["supersede:old"])).unwrap();
    assert_eq!(of_verb(&kept, "archive").count(), 0, "{:#?}", kept.changes);
    let kept = reviewed(plan_of(vec![night]), &except(&["archive:says-it"])).unwrap();
    assert_eq!((of_verb(&kept, "supersede").count(), of_verb(&kept, "archive").count()), (1, 0));
}

#[test]
fn uncorroborated_older_entry_supersedes_nothing() {
    let night_of = |memories, past: &MemorySnapshot, n| {
        let mut config = Config::default();
        config.reconcile.min_similarity = 0.6;
        sleep(day(n, memories), past.clone(), &config.check().unwrap())
    };
    let closed = "the river gate is not open";
    let past = after(
        &MemorySnapshot::empty(),
        &night_of(vec![memory("old", 1, closed, 5)], &MemorySnapshot::empty(), 0),
    );
    let said = vec![memory("open", 30, "the river gate is open", 5), memory("again", 31, closed, 5)];
    let night = night_of(said, &past, 1);
    let by_old = of_verb(&night, "supersede").next().unwrap();
    assert_eq!((by_old.id(), by_old.sources()), (&id("open"), &[id("old")][..]), "{:#?}", night.changes);
    assert_eq!(of_verb(&night, "corroborate").next().unwrap().id(), &id("old"));

    let kept = reviewed(plan_of(vec![night.clone()]), &except(&["corroborate:old"])).unwrap();
    assert_eq!(of_verb(&kept, "supersede").count(), 0, "{:#?}", kept.changes);
    let past = after(&past, &kept);
    let mut known = active(&past);
    known.sort_unstable();
    assert_eq!(known, [closed, closed, "the river gate is open"]);
    // Declining another change leaves the corroboration: the entry is still stated again.
    let kept = reviewed(plan_of(vec![night]), &except(&["supersede:open"])).unwrap();
    assert_eq!((of_verb(&kept, "supersede").count(), of_verb(&kept, "corroborate").count()), (0, 1));
}

#[test]
fn rewritten_synthesis_must_be_supported_by_its_sources() {
    let plan = night();
    let told = of_verb(&plan, "chunk").next().unwrap().id().clone();
    let better = "I swept the common room at dawn and again at dusk";
    let changed = reviewed(plan_of(vec![plan.clone()]), &saying(&told, better)).unwrap();
    let entry = of_verb(&changed, "chunk").next().unwrap().entry().unwrap();
    assert_eq!(
        (entry.text.as_str(), entry.vector.as_ref().unwrap().as_slice()),
        (better, &crate::support::embed(better)[..])
    );
    assert_ne!(changed.next_version().unwrap(), plan.next_version().unwrap());

    for (text, fault) in [
        ("", Fault::Empty),
        ("I swept the common room at dawn and dusk for 3 silver", Fault::Ungrounded),
        ("I never swept the common room at dawn and dusk", Fault::Contradicted),
        ("I swept the common room at dawn and dusk\u{1b}[2J", Fault::Malformed),
    ] {
        let error = reviewed(plan_of(vec![plan.clone()]), &saying(&told, text)).unwrap_err();
        assert!(matches!(error, ReviewError::Text { fault: f, .. } if f == fault), "{text:?}: {error}");
    }
    let error = reviewed(plan_of(vec![plan]), &saying(&id("c"), "Joss owes Tom nothing")).unwrap_err();
    assert!(matches!(error, ReviewError::CannotRewrite { .. }), "{error}");
}

#[test]
fn impossible_choices_are_refused() {
    let refused = |named: &str| reviewed(plan_of(vec![night()]), &except(&[named])).unwrap_err();
    assert!(matches!(refused("z"), ReviewError::NoChange { .. }));
    assert!(matches!(refused("supersede:c"), ReviewError::NoChange { .. }));
    let repeated = vec![memory("a", 1, "rain fell", 5), memory("b", 2, "rain fell", 5)];
    let night_of = |n, memories| sleep(day(n, memories), MemorySnapshot::empty(), &ValidConfig::default());
    let error = reviewed(plan_of(vec![night_of(0, repeated)]), &except(&["collapse:a"])).unwrap_err();
    assert!(matches!(error, ReviewError::CannotDecline { .. }), "{error}");
    let two = plan_of(vec![night(), night_of(1, vec![memory("e", 30, "rain fell again", 5)])]);
    let error = reviewed(two, &except(&["c"])).unwrap_err();
    assert!(matches!(error, ReviewError::NeededByLaterNight { .. }), "{error}");
}

fn lived() -> impl Strategy<Value = Vec<Memory>> {
    let text = prop::sample::select(vec![
        "I swept the common room at dawn and at dusk",
        "I swept the common room at dusk",
        "the river gate is open",
        "the river gate is not open",
        "Joss owes Tom 14 silver",
        "Joss asked Tom for the 14 silver",
        "rain fell",
        "  ",
    ]);
    prop::collection::vec((text, 1_i64..20, 1_u8..=10), 1..16).prop_map(|said| {
        said.into_iter()
            .enumerate()
            .map(|(n, (text, hour, i))| memory(&format!("m{n}"), hour, text, i))
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// The store takes a reviewed plan, each memory has one fate, and the report counts what is there.
    #[test]
    fn reviewed_plan_applies_whatever_is_declined(memories in lived(), lot in any::<u32>(), only in any::<bool>()) {
        let mut config = Config::default();
        (config.triage.similar, config.reconcile.min_similarity, config.reconcile.rival_similarity) = (0.7, 0.6, 0.3);
        let night = sleep(day(0, memories), MemorySnapshot::empty(), &config.check().unwrap());
        let named: Vec<Selector> = night
            .changes
            .iter()
            .enumerate()
            .filter(|(i, c)| lot >> (i % 32) & 1 == 1 && c.verb() != "collapse" && c.reason().rule != Rule::Blank)
            .map(|(_, c)| format!("{}:{}", c.verb(), c.id()).parse().unwrap())
            .collect();
        let wanted = if only { Wanted::Only(named) } else { Wanted::Except(named) };
        let kept = reviewed(plan_of(vec![night]), &Choices { wanted, ..Choices::default() }).unwrap();
        kept.check().unwrap();
        let past = after(&MemorySnapshot::empty(), &kept);
        let report = &kept.report;
        let fates = report.counts.stored + report.counts.chunked + report.counts.corroborated + report.counts.pruned;
        prop_assert_eq!(report.counts.distinct, fates + report.counts.collapsed);
        let written = kept.changes.iter().filter(|c| matches!(c, Change::Store { .. } | Change::Chunk { .. }));
        prop_assert!(report.counts.kept <= written.count());
        let drawn = past.entries.iter().filter(|e| e.entry.form == nightfold_memory::RecordKind::Reflection).count();
        prop_assert_eq!(past.entries.len(), report.counts.kept + drawn);
    }
}
