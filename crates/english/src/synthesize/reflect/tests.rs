//! Tests of reflections by rules.

use nightfold_memory::ReflectionKind;

use super::{super::phrase::fill_wording, wording::*, *};

struct TestMemory<'a> {
    text: &'a str,
    kind: Kind,
    importance: u8,
    feeling: f32,
}

fn told(text: &str, importance: u8) -> TestMemory<'_> {
    TestMemory { text, kind: Kind::Event, importance, feeling: 0.0 }
}

fn reflections_of(day: &[TestMemory<'_>]) -> Vec<WordedReflection> {
    reflections_after(day, Recurrence { nights: &[], days: 7 })
}

fn reflections_after(day: &[TestMemory<'_>], before: Recurrence<'_>) -> Vec<WordedReflection> {
    let people = ["Rana Okoye", "Otto Lind"];
    let analyses: Vec<Analysis> = day.iter().map(|t| analyze(t.text, people)).collect();
    let actors: Vec<Vec<String>> = day
        .iter()
        .map(|t| {
            let there = people.iter().filter(|p| p.split(' ').next().is_some_and(|f| t.text.contains(f)));
            there.map(|p| (*p).to_owned()).collect()
        })
        .collect();
    let grounds: Vec<ReflectionSource<'_>> = day
        .iter()
        .zip(&analyses)
        .zip(&actors)
        .enumerate()
        .map(|(row, ((t, analysis), actors))| ReflectionSource {
            row,
            text: t.text,
            analysis,
            kind: t.kind,
            importance: t.importance,
            feeling: t.feeling,
            actors,
            vector: &[],
            at: nightfold_memory::GameTime::from_seconds(i64::try_from(row).unwrap() * 3600).unwrap(),
        })
        .collect();
    let theme = ReflectionTheme {
        sources: &grounds,
        own_name: &analyze("Ida Berg", ["Ida Berg"]),
        people: &people,
        earlier_nights: before.nights,
        days: before.days,
    };
    reflect(&theme, 3)
}

fn single_reflection(day: &[TestMemory<'_>]) -> WordedReflection {
    let mut drawn = reflections_of(day);
    assert_eq!(drawn.len(), 1, "{drawn:?}");
    drawn.remove(0)
}

#[test]
fn reflection_names_subject_and_repeats_one_statement() {
    let day = [
        told("Otto asked Rana for the 12 florins.", 5),
        told("I swept the loft.", 2),
        told("Rana will pay the 12 florins after the fair.", 6),
    ];
    let insight = single_reflection(&day);
    assert_eq!((insight.kind, insight.rows.as_slice()), (ReflectionKind::Social, &[0, 2][..]));
    assert!(insight.text.contains("Rana and the 12 florins"), "{}", insight.text);
    assert!(insight.text.ends_with("Rana will pay the 12 florins after the fair."), "{}", insight.text);
    assert!(
        STATE_WORDINGS.iter().any(|h| insight.text.contains(h.trim_end_matches("{x}"))),
        "{}",
        insight.text
    );
    assert!(!insight.text.contains("asked"), "{}", insight.text);
}

#[test]
fn topics_without_recurrence_yield_no_reflection() {
    assert!(reflections_of(&[told("I sold the goat.", 8), told("Otto lost a shoe.", 8)]).is_empty());
    // Two amounts in the same coin are not one topic.
    assert!(
        reflections_of(&[told("I paid 3 florins for wool.", 8), told("I found 9 florins today.", 8)])
            .is_empty()
    );
    // A place where two things happened is no topic either.
    assert!(
        reflections_of(&[told("I sang in the loft.", 8), told("I slept badly in the loft.", 8)]).is_empty()
    );
    // Nor is one memory repeated.
    let twice = [told("I saw the comet over the hill.", 8), told("Saw the comet over the hill.", 8)];
    assert!(reflections_of(&twice).is_empty());
}

#[test]
fn intentions_are_reflections_on_oneself() {
    let day = [
        told("Only 3 jars of honey are left for the winter.", 5),
        told("I must keep one jar of honey back.", 5),
    ];
    let insight = single_reflection(&day);
    assert_eq!(insight.kind, ReflectionKind::Oneself);
    assert!(insight.text.ends_with("I must keep one jar of honey back."), "{}", insight.text);
    // Reported speech in the first person is no intention of the NPC.
    assert_ne!(statement_kind("Rana told me I must go"), StatementKind::Intent);
}

#[test]
fn causal_reflection_needs_a_stated_reason() {
    let why = [
        told("Otto shut the kiln because the clay was wet.", 6),
        told("I looked into the kiln, and the clay is raw.", 4),
    ];
    assert_eq!(single_reflection(&why).kind, ReflectionKind::Causal);
    let because_of =
        [told("Otto shut the kiln because of the rain.", 6), told("I looked into the kiln in the rain.", 4)];
    assert!(reflections_of(&because_of).iter().all(|i| i.kind != ReflectionKind::Causal));
}

#[test]
fn feeling_must_be_shared_by_all_memories() {
    let day = |feelings: [f32; 2]| {
        let texts = ["Otto ran off with the red kite.", "Otto tore the red kite and laughed."];
        let told = texts.iter().zip(feelings);
        let told: Vec<TestMemory<'_>> = told
            .map(|(text, feeling)| TestMemory { text, kind: Kind::Event, importance: 6, feeling })
            .collect();
        single_reflection(&told).text
    };
    let begins = |text: &str, wordings: &[&str]| {
        wordings.iter().any(|w| text.starts_with(&fill_wording(w, "Otto and the red kite", "")))
    };
    assert!(begins(&day([-0.5, -0.4]), NEGATIVE_WORDINGS) && begins(&day([0.5, 0.4]), POSITIVE_WORDINGS));
    assert!(begins(&day([-0.5, 0.0]), PEOPLE_WORDINGS), "{}", day([-0.5, 0.0]));
}

#[test]
fn statement_is_not_latest_if_a_later_memory_mentions_it() {
    let quoted = "\"Not before the fair,\" said Rana of the 12 florins.";
    let day = |last| {
        single_reflection(&[
            told("Rana owes 12 florins.", 5),
            told("I asked Rana for the 12 florins.", 8),
            last,
        ])
    };
    assert!(!LATEST_WORDINGS.iter().any(|l| day(told(quoted, 4)).text.contains(l.trim_end_matches("{x}"))));
}

#[test]
fn statement_without_other_content_is_not_reflected() {
    let day = [told("Otto is making a kite.", 6), told("Otto let me paint the kite.", 5)];
    assert!(reflections_of(&day).iter().all(|i| !i.text.contains("making")));
}

#[test]
fn unimportant_memories_are_reflected_only_as_intentions() {
    let day = |last| reflections_of(&[told("Only 3 jars of honey are left.", 3), told(last, 4)]);
    assert!(day("I spilled a jar of honey.").is_empty());
    assert_eq!(day("I must hide one jar of honey.").len(), 1);
}

#[test]
fn reflection_on_a_person_needs_three_memories() {
    let day = [
        told("Rana sang at the wedding.", 5),
        told("Rana carried wood for me.", 4),
        told("I did not see Rana leave.", 5),
    ];
    assert_eq!(single_reflection(&day).kind, ReflectionKind::Social);
    assert!(reflections_of(&day[..2]).is_empty());
}

#[test]
fn earlier_nights_are_counted() {
    let day = [
        told("Otto asked Rana for the 12 florins.", 5),
        told("Rana will pay the 12 florins after the fair.", 6),
    ];
    let night = |terms: &str| terms.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let after =
        |nights: &[Vec<String>]| reflections_after(&day, Recurrence { nights, days: 7 }).remove(0).text;
    let (same, other) = (night("otto florin rana 12"), night("rana fair"));
    let third = after(&[same.clone(), other.clone(), same.clone()]);
    assert!(third.contains("Rana and the 12 florins"), "{third}");
    assert!(third.to_lowercase().contains("for the third time this week"), "{third}");
    // Twice is no habit, and a night with Rana alone is none with Rana and the florins.
    assert_eq!(after(&[same, other]), single_reflection(&day).text);
}

#[test]
fn wordings_are_first_person_without_names_and_numbers() {
    let wordings = [
        THING_WORDINGS,
        PEOPLE_WORDINGS,
        TALK_WORDINGS,
        NEGATIVE_WORDINGS,
        POSITIVE_WORDINGS,
        INTENTION_WORDINGS,
        REASON_WORDINGS,
    ]
    .concat();
    for wording in wordings {
        let text = fill_wording(wording, "the kite", "the kite flew");
        let read = analyze(&text, []);
        let mine = read.tokens.iter().any(|t| matches!(t.lower.as_str(), "i" | "me" | "my"));
        assert!(mine, "{wording}");
        assert_eq!((read.negations, read.numbers.len(), read.names.len()), (0, 0, 0), "{wording}");
    }
}
