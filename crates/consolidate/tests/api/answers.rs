//! Acceptance of a language model's answers: only what the day supports is accepted; otherwise the rules word
//! the text, or none is written.

use std::collections::BTreeMap;

use crate::support::{day, embed_all, id, memory, model, of_verb};
use nightfold_consolidate::{Draft, LanguageAnswers, Triaged};
use nightfold_english::English;
use nightfold_memory::{
    Answer, Config, Day, Importance, LanguageTask, Memory, MemoryId, MemorySnapshot, NpcNight, PastStanding,
    ReflectionKind, TaskKind, ValidConfig, config::ClusterAlgorithm, effect::advance,
};

/// Returns a configuration with one cluster, in which very similar memories are synthesized.
fn config() -> ValidConfig {
    let mut config = Config::default();
    config.cluster.algorithm = ClusterAlgorithm::Single;
    // The day is one theme.
    config.themes.proximity = -1.0;
    config.budget.storage = 1.0;
    config.triage.similar = 0.7;
    config.check().unwrap()
}

const MORNING: &str = "I did not pay Joss the 14 silver for the new axle";
const EVENING: &str = "I did not pay Joss the 14 silver for the new axle today";

/// Returns two memories that are synthesized, and two that are kept on their own.
fn debts() -> Vec<Memory> {
    vec![
        memory("m1", 8, MORNING, 5),
        memory("m2", 20, EVENING, 5),
        memory("m3", 9, "Wren sings by the river whenever the mill wheel turns", 5),
        memory("m4", 10, "My knee hurts on the stairs", 5),
    ]
}

fn triaged(memories: Vec<Memory>) -> Triaged {
    triaged_after(MemorySnapshot::empty(), day(0, memories), &config())
}

fn triaged_after(past: MemorySnapshot, today: Day, config: &ValidConfig) -> Triaged {
    let draft = Draft::begin(today, past, model(), config, &English).unwrap();
    let vectors = embed_all(&draft.texts());
    draft.triage(vectors, &English).unwrap()
}

fn finished(triaged: Triaged, answers: &BTreeMap<usize, Vec<Answer>>) -> NpcNight {
    let told = triaged
        .synthesize(LanguageAnswers { answers: answers.clone(), ..LanguageAnswers::default() }, &English);
    let vectors = embed_all(&told.texts());
    let night = told.reconcile(vectors, &English).unwrap().finish_by_rules(&English);
    night.check().unwrap();
    night
}

fn task(triaged: &Triaged, wanted: fn(&TaskKind) -> bool) -> LanguageTask {
    let mut found = triaged.tasks().iter().filter(|t| wanted(&t.kind));
    let task = found.next().unwrap().clone();
    assert!(found.next().is_none(), "the scenario has one task of this kind");
    task
}

fn texts(night: &NpcNight, verb: &str) -> Vec<String> {
    of_verb(night, verb).map(|c| c.entry().unwrap().text.clone()).collect()
}

/// Returns the synthesis of `memories` if a model answers with these texts, and if it does not answer.
fn synthesis_with_answers(memories: Vec<Memory>, said: &[&str]) -> (String, String) {
    let triaged = triaged(memories);
    let task = task(&triaged, |k| *k == TaskKind::Synthesis);
    let cites: Vec<MemoryId> = task.sources.iter().map(|s| s.id.clone()).collect();
    let answers = said
        .iter()
        .map(|s| Answer { text: (*s).to_owned(), kind: None, cites: cites.clone(), confidence: None })
        .collect();
    let one = |answers: &BTreeMap<_, _>| {
        let mut found = texts(&finished(triaged.clone(), answers), "chunk");
        assert_eq!(found.len(), 1);
        found.remove(0)
    };
    (one(&BTreeMap::from([(task.id, answers)])), one(&BTreeMap::new()))
}

/// True if a model's text is accepted as the synthesis of `memories`.
fn is_accepted(memories: Vec<Memory>, said: &str) -> bool {
    let (told, by_rules) = synthesis_with_answers(memories, &[said]);
    assert!(told == said || told == by_rules, "{told}");
    told != by_rules
}

fn answer(text: &str, cites: &[&str]) -> Answer {
    let cites = cites.iter().map(|c| id(c)).collect();
    Answer { text: text.to_owned(), kind: Some(ReflectionKind::Social), cites, confidence: None }
}

/// Returns the night if a model answers the reflection task with `answers`, and if it does not answer.
fn reflected(answers: Vec<Answer>) -> (NpcNight, NpcNight) {
    let triaged = triaged(debts());
    let task = task(&triaged, |k| matches!(k, TaskKind::Reflections { .. }));
    let by_rules = finished(triaged.clone(), &BTreeMap::new());
    (finished(triaged, &BTreeMap::from([(task.id, answers)])), by_rules)
}

const INSIGHT: &str = "I keep putting off what I owe Joss, and my knee pays for it";

#[test]
fn synthesis_that_keeps_all_facts_is_accepted() {
    let good = "I did not pay Joss his 14 silver, morning or evening";
    let (told, by_rules) = synthesis_with_answers(debts(), &[good]);
    assert_eq!(told, good);
    assert_ne!(told, by_rules);
}

#[test]
fn first_synthesis_that_keeps_all_facts_is_accepted_and_any_other_rejected() {
    let good = "I did not pay Joss the 14 silver, twice over";
    let (told, _) =
        synthesis_with_answers(debts(), &["I did not pay Joss", good, "I never paid Joss 14 silver"]);
    assert_eq!(told, good);
    let overlong = format!("I did not pay Joss the 14 silver{}", " at all".repeat(400));
    for bad in [
        "I did not pay Joss for the new axle",
        "I paid Joss the 14 silver for the new axle",
        "I did not pay Joss the 15 silver for the new axle",
        "I did not pay Joss and Corwin the 14 silver for the new axle",
        " \n",
        &overlong,
    ] {
        assert!(!is_accepted(debts(), bad), "{bad}");
    }
    // Memories without a number, a name or a negation require no particular word, but they require a text.
    let plain =
        ["before", "after"].map(|when| format!("I swept the common room and the yard {when} opening"));
    let plain = || vec![memory("m1", 8, &plain[0], 3), memory("m2", 9, &plain[1], 3)];
    assert!(!is_accepted(plain(), "."));
}

#[test]
fn synthesis_quotes_important_words_whoever_writes_it() {
    let important = || {
        let mut memories = debts();
        memories[0].importance = Some(Importance::new(8).unwrap());
        memories
    };
    let (reworded, by_rules) =
        synthesis_with_answers(important(), &["I did not pay Joss his 14 silver, morning or evening"]);
    assert_eq!(reworded, by_rules);
    assert!(by_rules.contains(MORNING), "{by_rules}");
    let quoting = format!("All day it was so: {MORNING}, and the evening was no better");
    assert_eq!(synthesis_with_answers(important(), &[&quoting]).0, quoting);
}

#[test]
fn reflection_that_rests_on_the_day_is_accepted() {
    let (night, by_rules) = reflected(vec![answer(INSIGHT, &["m1", "m4"])]);
    assert_eq!(texts(&night, "reflect"), [INSIGHT]);
    assert!(!texts(&by_rules, "reflect").contains(&INSIGHT.to_owned()));
    let change = of_verb(&night, "reflect").next().unwrap();
    assert_eq!(change.sources(), [id("m1"), id("m4")]);
    assert_eq!(change.entry().unwrap().importance.get(), config().synthesis.reflection_importance);
}

#[test]
fn unknown_citations_are_dropped_and_fewer_than_two_reject_the_reflection() {
    let (night, _) = reflected(vec![answer(INSIGHT, &["m1", "nobody-7", "m4", "m1"])]);
    let change = of_verb(&night, "reflect").next().unwrap();
    assert_eq!(
        (change.entry().unwrap().text.as_str(), change.sources()),
        (INSIGHT, &[id("m1"), id("m4")][..])
    );
    for cites in [&["m1"][..], &["m1", "m1"], &["m1", "nobody-7"], &["nobody-7", "nobody-8"], &[]] {
        let (night, by_rules) = reflected(vec![answer(INSIGHT, cites)]);
        assert_eq!(night, by_rules, "{cites:?} were believed");
    }
}

#[test]
fn ungrounded_reflection_is_rejected() {
    let answers = [
        ("I keep putting off Corwin, and my knee pays for it", "a name from nowhere"),
        ("Corwin is behind all of my trouble", "a name from nowhere at the opening"),
        ("I owe Joss 15 silver and a good knee", "a number from nowhere"),
        ("I sang with Wren because my knee hurts", "a name of a memory that is not cited"),
        ("The innkeeper keeps putting off what is owed to Joss", "someone else is speaking"),
        ("", "nothing is said"),
        (&"I owe Joss this. ".repeat(80), "a report, not an insight"),
    ];
    let mut believed = Vec::new();
    for (said, why) in answers {
        let (night, by_rules) = reflected(vec![answer(said, &["m1", "m4"])]);
        if night != by_rules {
            believed.push((why, texts(&night, "reflect")));
        }
    }
    assert!(believed.is_empty(), "{believed:?}");
}

#[test]
fn reflection_that_repeats_a_source_is_dropped() {
    let (night, _) = reflected(vec![answer(&format!("{MORNING}!"), &["m1", "m4"])]);
    assert_eq!(texts(&night, "reflect"), [""; 0]);
}

#[test]
fn duplicate_reflection_is_dropped() {
    let (night, _) =
        reflected(vec![answer(INSIGHT, &["m1", "m4"]), answer(&format!("{INSIGHT}!"), &["m2", "m4"])]);
    assert_eq!(texts(&night, "reflect"), [INSIGHT]);
}

#[test]
fn reflection_of_an_earlier_night_is_not_written_again() {
    let first = reflected(vec![answer(INSIGHT, &["m1", "m4"])]).0;
    let mut past = MemorySnapshot::empty();
    nightfold_memory::effect::advance(&mut past, &first).unwrap();
    let tomorrow: Vec<Memory> = debts()
        .into_iter()
        .map(|m| {
            m.with(|m| {
                m.id = id(&format!("n-{}", m.id));
                m.at = crate::support::at(24 + m.at.seconds() / 3600);
            })
        })
        .collect();
    let draft = Draft::begin(day(1, tomorrow), past, model(), &config(), &English).unwrap();
    let vectors = embed_all(&draft.texts());
    let triaged = draft.triage(vectors, &English).unwrap();
    let task = task(&triaged, |k| matches!(k, TaskKind::Reflections { .. }));
    let again = answer(&format!("{INSIGHT}."), &["n-m1", "n-m4"]);
    let new = answer("I climb stairs for Joss with a bad knee and an empty purse", &["n-m1", "n-m4"]);
    let night = finished(triaged, &BTreeMap::from([(task.id, vec![again, new.clone()])]));
    assert_eq!(texts(&night, "reflect"), [new.text]);
}

#[test]
fn excess_reflections_are_ignored() {
    let said =
        ["I owe Joss too much", "My knee is worse than my debts to Joss", "I fear stairs more than Joss"];
    let triaged = triaged(debts());
    let task = task(&triaged, |k| matches!(k, TaskKind::Reflections { .. }));
    assert_eq!(task.kind, TaskKind::Reflections { slots: 2 });
    let answers = said.map(|s| answer(s, &["m1", "m4"])).to_vec();
    let night = finished(triaged, &BTreeMap::from([(task.id, answers)]));
    assert_eq!(texts(&night, "reflect"), said[..2]);
}

#[test]
fn answer_to_an_unknown_task_changes_nothing() {
    let triaged = triaged(debts());
    let by_rules = finished(triaged.clone(), &BTreeMap::new());
    let stray = BTreeMap::from([(999, vec![answer(INSIGHT, &["m1", "m4"])])]);
    assert_eq!(finished(triaged, &stray), by_rules);
}

#[test]
fn tasks_show_the_memories_of_the_night_and_come_most_valuable_first() {
    let triaged = triaged(debts());
    let tasks = triaged.tasks();
    assert!(tasks.is_sorted_by(|a, b| a.value >= b.value));
    for task in tasks {
        for source in &task.sources {
            let memory = debts().into_iter().find(|m| m.id == source.id).unwrap();
            assert_eq!(memory.text, source.text);
        }
        let bytes: usize = task.sources.iter().map(|s| s.text.len()).sum();
        assert!(task.tokens * 4 > bytes, "a prompt costs at least what it shows");
    }
    let night = finished(triaged.clone(), &BTreeMap::new());
    assert_eq!(night.report.tokens.estimate, tasks.iter().map(|t| t.tokens).sum::<usize>());
}

const PROMISE: &str = "Joss promised to pay me for the axle of the mill cart";
const KNOWN: &str = "Joss paid late for the axle of the mill cart in spring";
const LATER: [&str; 2] =
    ["Joss did not pay for the axle of the mill cart", "Joss hid from me behind the mill cart"];

/// Returns a day about a matter of an earlier night, with the reflection that was drawn then.
fn day_with_a_past() -> (Triaged, String) {
    let mut config = Config::default();
    config.cluster.algorithm = ClusterAlgorithm::Single;
    config.themes.proximity = -1.0;
    config.budget.storage = 1.0;
    (config.triage.similar, config.triage.similar_over_budget) = (1.0, 1.0);
    (config.reconcile.rival_similarity, config.reconcile.min_similarity) = (0.1, 1.0);
    let config = config.check().unwrap();
    let first = vec![memory("p1", 8, PROMISE, 6), memory("p2", 9, KNOWN, 6)];
    let earlier = triaged_after(MemorySnapshot::empty(), day(0, first), &config);
    let drawn = "I have to ask Joss twice before he pays for an axle";
    let asked = task(&earlier, |k| matches!(k, TaskKind::Reflections { .. }));
    let night = finished(earlier, &BTreeMap::from([(asked.id, vec![answer(drawn, &["p1", "p2"])])]));
    let mut past = MemorySnapshot::empty();
    advance(&mut past, &night).unwrap();
    let today = LATER.iter().zip(["m1", "m2"]).zip(32..).map(|((text, id), at)| memory(id, at, text, 6));
    (triaged_after(past, day(1, today.collect()), &config), drawn.to_owned())
}

#[test]
fn past_of_a_theme_is_shown_by_its_standing() {
    let (triaged, drawn) = day_with_a_past();
    let task = task(&triaged, |k| matches!(k, TaskKind::Reflections { .. }));
    let mut past: Vec<(&str, PastStanding)> =
        task.past.iter().map(|past| (past.text.as_str(), past.standing)).collect();
    past.sort_unstable_by_key(|(text, _)| *text);
    assert_eq!(
        past,
        [
            (drawn.as_str(), PastStanding::Concluded),
            (KNOWN, PastStanding::Known),
            (PROMISE, PastStanding::Open)
        ]
    );
    let bytes: usize = task.past.iter().map(|past| past.text.len()).sum();
    let shorter = task.with_shorter_past(1).unwrap();
    assert_eq!(shorter.past, task.past[..2], "the least telling one is left out");
    assert!(shorter.tokens < task.tokens);
    assert_eq!(task.with_shorter_past(bytes).unwrap().past, []);
    assert_eq!(task.with_shorter_past(bytes + 1), None);
}

#[test]
fn answer_may_rest_on_the_past_together_with_the_day() {
    let (triaged, drawn) = day_with_a_past();
    let asked = task(&triaged, |k| matches!(k, TaskKind::Reflections { .. }));
    let concluded = asked.past.iter().find(|past| past.text == drawn).unwrap().id.clone();
    let said = "I wait for the money that Joss promised, and Joss hides from me";
    let night = |cites: &[&str]| {
        let answers = BTreeMap::from([(asked.id, vec![answer(said, cites)])]);
        finished(triaged.clone(), &answers)
    };
    let told = night(&["m2", "p1"]);
    let change = of_verb(&told, "reflect").find(|c| c.entry().unwrap().text == said).expect("it is believed");
    assert_eq!(change.sources(), [id("p1"), id("m2")]);
    for cites in [&["p1", "p2"][..], &["m2", concluded.as_str()], &["m2", "p3"]] {
        assert!(!texts(&night(cites), "reflect").contains(&said.to_owned()), "{cites:?}");
    }
}
