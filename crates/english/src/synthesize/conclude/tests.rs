//! Small lives, and the conclusions from them.

use nightfold_memory::{
    Analysis, BeliefChange, Conclusion, ConclusionSources, EarlierSource, GameTime, Kind, ReflectionKind,
    ReflectionSource,
};

use super::conclude;
use crate::text::{analyze, tagged};

const DAY: i64 = 86_400;
const NEAR: &[f32] = &[1.0, 0.0];
/// Read beside a memory that is near, but of another matter.
const APART: &[f32] = &[0.3, 0.953_94];
const FAR: &[f32] = &[0.0, 1.0];

/// A memory of a story: day, hour, importance, feeling and text.
#[derive(Clone, Copy)]
struct Told {
    day: i64,
    hour: i64,
    importance: u8,
    feeling: f32,
    text: &'static str,
    vector: &'static [f32],
    /// Tags of its words, where the subject is a thing.
    tags: &'static str,
}

fn told(day: i64, hour: i64, feeling: f32, text: &'static str) -> Told {
    Told { day, hour, importance: 7, feeling, text, vector: NEAR, tags: "" }
}

/// Returns what Mara Thorne concludes on the last day of a story. `changes` are the indices of what is no longer
/// believed and of what is believed instead; `drawn` are those that an earlier reflection rests on.
fn concluded_with(story: &[Told], changes: &[(usize, usize)], drawn: &[usize]) -> Vec<Conclusion> {
    let actors: Vec<String> = ["Joss", "Ketty"].map(str::to_owned).to_vec();
    let people: Vec<&str> = actors.iter().map(String::as_str).collect();
    let today = story.iter().map(|told| told.day).max().unwrap();
    let analyses: Vec<Analysis> = story
        .iter()
        .map(|told| Analysis {
            grammar: (!told.tags.is_empty()).then(|| tagged(told.text, told.tags)),
            ..analyze(told.text, people.iter().copied())
        })
        .collect();
    let at = |told: &Told| GameTime::from_seconds(told.day * DAY + told.hour * 3_600).unwrap();
    let of_today = |told: &Told| told.day == today;
    let day: Vec<ReflectionSource<'_>> = story
        .iter()
        .zip(&analyses)
        .enumerate()
        .filter(|(_, (told, _))| of_today(told))
        .map(|(row, (told, analysis))| ReflectionSource {
            row,
            text: told.text,
            analysis,
            kind: Kind::Event,
            importance: told.importance,
            feeling: told.feeling,
            actors: &actors,
            at: at(told),
            vector: told.vector,
        })
        .collect();
    let earlier: Vec<EarlierSource<'_>> = story
        .iter()
        .filter(|told| !of_today(told))
        .map(|told| EarlierSource {
            place: None,
            text: told.text,
            kind: Kind::Event,
            importance: told.importance,
            feeling: told.feeling,
            actors: &[],
            at: at(told),
            vector: told.vector,
        })
        .collect();
    let changes: Vec<BeliefChange> =
        changes.iter().map(|&(earlier, row)| BeliefChange { earlier, row }).collect();
    let known = ConclusionSources {
        today: &day,
        earlier: &earlier,
        changes: &changes,
        drawn: &[drawn.to_vec()],
        own_name: &analyze("Mara Thorne", ["Mara Thorne"]),
        people: &people,
    };
    conclude(&known, 3)
}

fn concluded(story: &[Told]) -> Vec<Conclusion> {
    concluded_with(story, &[], &[])
}

fn of_form<'a>(drawn: &'a [Conclusion], form: &str) -> Option<&'a Conclusion> {
    drawn.iter().find(|one| one.form == form)
}

#[test]
fn change_of_mind_tells_what_was_believed_and_all_that_is_known_now() {
    let story = [
        told(1, 9, 0.0, "The sickness is in the air."),
        told(2, 9, 0.0, "The sickness is not in the air. It is in the water of the well."),
    ];
    let drawn = concluded_with(&story, &[(0, 1)], &[]);
    assert_eq!(
        drawn[0].text,
        "I have changed my mind. I believed that the sickness was in the air. Now I go by this: The sickness is \
         not in the air. It is in the water of the well."
    );
    assert_eq!((drawn[0].form, drawn[0].kind), ("change-of-mind", ReflectionKind::Oneself));
    assert_eq!((drawn[0].rows.as_slice(), drawn[0].earlier.as_slice()), (&[1][..], &[0][..]));
}

#[test]
fn events_change_no_mind() {
    let story = [
        told(1, 9, 0.0, "A nun bought 6 ells of blue cloth for 15 pence."),
        told(2, 9, 0.0, "A drover bought 6 ells of blue cloth for 16 pence."),
    ];
    assert_eq!(of_form(&concluded_with(&story, &[(0, 1)], &[]), "change-of-mind"), None);
}

#[test]
fn matter_of_a_person_turns_only_for_what_the_person_does() {
    let better = [
        told(1, 9, -0.7, "Ketty cannot keep water down and her lips are grey."),
        told(3, 9, 0.8, "Ketty ate a crust and held it with both hands."),
    ];
    assert_eq!(
        concluded(&better)[0].text,
        "I see it turn for the better with Ketty. Two days ago: Ketty cannot keep water down and her lips are grey. \
         Today: Ketty ate a crust and held it with both hands."
    );
    let news = [
        told(1, 9, -0.7, "Ketty cannot keep water down and her lips are grey."),
        told(3, 9, 0.8, "I heard from Ketty that the harvest is in and the barn is full."),
    ];
    assert!(concluded(&news)[0].text.starts_with("I think of Ketty. Two days ago: "));
}

#[test]
fn what_was_felt_between_counts_against_a_turn() {
    let story = [
        told(1, 9, -0.7, "Ketty cannot keep water down and her lips are grey."),
        told(2, 9, 0.5, "Ketty slept through the night without a cough."),
        told(3, 9, 0.8, "Ketty ate a crust and held it with both hands."),
    ];
    let drawn = concluded(&story);
    let course = of_form(&drawn, "course").unwrap();
    assert_eq!((course.occasions, course.of), (2, 3));
}

#[test]
fn memories_of_two_matters_are_no_course() {
    let story = [
        Told { vector: FAR, ..told(1, 9, 0.0, "Joss told the room that the bridge has fallen.") },
        told(3, 9, 0.0, "Joss won a goose and carried it under his arm all day."),
    ];
    assert_eq!(concluded(&story), []);
}

#[test]
fn feelings_are_counted_with_those_against_them() {
    let troubled =
        Told { vector: APART, ..told(1, 9, -0.5, "Joss said before the room that he owes me nothing.") };
    let story = [
        troubled,
        Told { vector: APART, ..told(2, 9, 0.4, "Joss helped the miller to mend the broken sluice.") },
        Told { day: 3, text: "Joss laughed at the ledger with the whole room.", ..troubled },
        Told { day: 4, text: "Joss struck the table and called the smith a liar.", ..troubled },
        Told {
            day: 5,
            text: "Joss walked past my door without a word of greeting.",
            vector: NEAR,
            ..troubled
        },
    ];
    let drawn = concluded(&story);
    let feeling = of_form(&drawn, "feeling").unwrap();
    assert!(feeling.text.starts_with("Four times in five days I was troubled about Joss, and once glad. "));
    assert_eq!((feeling.occasions, feeling.of), (4, 5));
    // As many good days as bad ones say nothing.
    let mixed = [story[0], story[1], story[2], Told { day: 4, vector: NEAR, ..story[1] }];
    assert_eq!(of_form(&concluded(&mixed), "feeling"), None);
}

#[test]
fn one_night_is_no_habit_of_feeling() {
    let story = [
        told(1, 9, -0.5, "Joss said before the room that he owes me nothing."),
        told(1, 12, -0.5, "Joss laughed at the ledger with the whole room."),
    ];
    assert_eq!(of_form(&concluded(&story), "feeling"), None);
}

#[test]
fn prices_are_of_goods_with_their_amount() {
    let tags = "Joss/PROPN/nsubj/2 bought/VERB/root/0 a/DET/det/4 keg/NOUN/obj/2 of/ADP/case/6 herring/NOUN/nmod/4 \
                for/ADP/case/9 #/NUM/nummod/9 pence/NOUN/obl/2";
    let sold = |day, text: &'static str, number: &str| Told {
        importance: 3,
        tags: Box::leak(tags.replace('#', number).into_boxed_str()),
        ..told(day, 9, 0.0, text)
    };
    let story = [
        sold(1, "Joss bought a keg of herring for 12 pence", "12"),
        sold(2, "Joss bought a keg of herring for 14 pence", "14"),
        sold(9, "Joss bought a keg of herring for 11 pence", "11"),
    ];
    let drawn = concluded(&story);
    let price = of_form(&drawn, "price").unwrap();
    assert_eq!(
        price.text,
        "I know the price of a keg of herring by now, from three in nine days: 11 to 14 pence, the last time 11."
    );
    assert_eq!((price.occasions, price.rows.len(), price.earlier.len()), (3, 1, 2));
}

#[test]
fn what_a_reflection_rests_on_already_is_not_concluded_again() {
    let apart = |day, text| Told { vector: APART, ..told(day, 9, -0.5, text) };
    let story = [
        apart(1, "Joss said before the room that he owes me nothing."),
        apart(2, "Joss laughed at the ledger with the whole room."),
        told(3, 9, -0.5, "Joss struck the table and called the smith a liar."),
    ];
    assert!(of_form(&concluded(&story), "feeling").is_some());
    assert_eq!(of_form(&concluded_with(&story, &[], &[0, 1]), "feeling"), None);
}

#[test]
fn nothing_is_concluded_from_earlier_days_alone_or_from_one_memory() {
    assert_eq!(concluded(&[told(1, 9, -0.9, "Joss struck the table and called the smith a liar.")]), []);
    let story = [
        told(1, 9, -0.7, "Ketty cannot keep water down and her lips are grey."),
        told(2, 9, 0.8, "Ketty ate a crust and held it with both hands."),
        Told { vector: FAR, ..told(3, 9, 0.0, "Rain fell on the mill road all morning.") },
    ];
    assert_eq!(concluded(&story), []);
}
