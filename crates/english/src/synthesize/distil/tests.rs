//! Episodes of several days, and what they teach.

use nightfold_memory::{
    Distillate, DistillationSources, DistilledMemory, Grammar, Kind, ReflectionKind,
    grammar::{PartOfSpeech, Tense, VerbForm, Word, WordTags},
};

use super::distillates;
use crate::text::{Analysis, analyze, tagged};

/// An episode: its day, its text and the tags of its grammar, of which there are none for a note.
type Episode = (i64, &'static str, &'static str);

/// Returns a grammar whose verbs are finite, in the past, and whose auxiliaries in the present.
fn finite(grammar: &Grammar) -> Grammar {
    let finite = |word: &Word| {
        let tense = match word.part_of_speech() {
            PartOfSpeech::Verb => Some(Tense::Past),
            PartOfSpeech::Auxiliary => Some(Tense::Present),
            _ => None,
        };
        let tags = WordTags { tense, verb_form: tense.map(|_| VerbForm::Finite), ..word.tags() };
        Word::new(word.span(), tags).unwrap()
    };
    Grammar::new(grammar.words().iter().map(finite).collect::<Vec<_>>()).unwrap()
}

/// Returns what the episodes teach Mara.
fn taught(episodes: &[Episode]) -> Option<Distillate> {
    let read = |&(_, text, tags): &Episode| Analysis {
        grammar: (!tags.is_empty()).then(|| finite(&tagged(text, tags))),
        ..analyze(text, ["Joss", "Mara Thorne"])
    };
    let analyses: Vec<Analysis> = episodes.iter().map(read).collect();
    let known: Vec<DistilledMemory<'_>> = episodes
        .iter()
        .zip(&analyses)
        .map(|(&(day, text, _), analysis)| DistilledMemory {
            text,
            analysis,
            kind: Kind::Event,
            feeling: 0.0,
            place: text.contains("mill").then_some("the mill"),
            day,
        })
        .collect();
    let groups = [(0..known.len()).collect()];
    let own_name = &analyze("Mara Thorne", ["Mara Thorne"]);
    distillates(&DistillationSources { known: &known, groups: &groups, own_name, min_days: 3 }).pop()
}

fn said(episodes: &[Episode]) -> Option<(ReflectionKind, String)> {
    taught(episodes).map(|found| (found.kind, found.text))
}

const SWEPT: [Episode; 3] = [
    (
        1,
        "I swept the yard.",
        "I/PRON/nsubj/2 swept/VERB/root/0 the/DET/det/4 yard/NOUN/obj/2 ./PUNCT/punct/2",
    ),
    (
        2,
        "I swept the wet yard before noon.",
        "I/PRON/nsubj/2 swept/VERB/root/0 the/DET/det/5 wet/ADJ/amod/5 yard/NOUN/obj/2 before/ADP/case/7 \
         noon/NOUN/obl/2 ./PUNCT/punct/2",
    ),
    (
        4,
        "Swept the yard with Joss.",
        "Swept/VERB/root/0 the/DET/det/3 yard/NOUN/obj/1 with/ADP/case/5 Joss/PROPN/obl/1 ./PUNCT/punct/1",
    ),
];

#[test]
fn deed_of_several_days_is_a_skill_without_what_differs() {
    let found = taught(&SWEPT).unwrap();
    assert_eq!(found.text, "I swept the yard on at least three days.");
    assert_eq!((found.kind, found.sources, found.of), (ReflectionKind::Skill, vec![0, 1, 2], 3));
    assert_eq!(taught(&[SWEPT[0], SWEPT[1]]), None, "two days are not enough");
    let same_day = [SWEPT[0], SWEPT[1], (2, SWEPT[2].1, SWEPT[2].2)];
    assert_eq!(taught(&same_day), None);
}

#[test]
fn type_follows_from_who_does_what() {
    let of = |doer: &'static str, verb: &'static str| {
        let (text, tags): (&str, &str) = match (doer, verb) {
            ("I", "enjoyed") => (
                "I enjoyed the cake.",
                "I/PRON/nsubj/2 enjoyed/VERB/root/0 the/DET/det/4 cake/NOUN/obj/2 ./PUNCT/punct/2",
            ),
            ("I", _) => (
                "I saw the cake.",
                "I/PRON/nsubj/2 saw/VERB/root/0 the/DET/det/4 cake/NOUN/obj/2 ./PUNCT/punct/2",
            ),
            ("Joss", _) => (
                "Joss brought the cake.",
                "Joss/PROPN/nsubj/2 brought/VERB/root/0 the/DET/det/4 cake/NOUN/obj/2 ./PUNCT/punct/2",
            ),
            _ => (
                "The mill is loud in spring.",
                "The/DET/det/2 mill/NOUN/nsubj/4 is/AUX/cop/4 loud/ADJ/root/0 in/ADP/case/6 spring/NOUN/obl/4 \
                 ./PUNCT/punct/4",
            ),
        };
        said(&[(1, text, tags), (2, text, tags), (4, text, tags)]).map(|(kind, _)| kind)
    };
    assert_eq!(of("I", "enjoyed"), Some(ReflectionKind::Preference));
    assert_eq!(of("I", "saw"), Some(ReflectionKind::Pattern));
    assert_eq!(of("Joss", "brought"), Some(ReflectionKind::Person));
    assert_eq!(of("The mill", "is"), Some(ReflectionKind::Place));
}

#[test]
fn own_name_is_i_and_an_article_may_differ() {
    let of_mara = (
        5,
        "Mara swept a yard.",
        "Mara/PROPN/nsubj/2 swept/VERB/root/0 a/DET/det/4 yard/NOUN/obj/2 ./PUNCT/punct/2",
    );
    assert_eq!(
        taught(&[SWEPT[0], SWEPT[1], of_mara]).unwrap().text,
        "I swept a yard on at least three days."
    );
}

#[test]
fn deed_that_was_not_done_is_none() {
    let text = "I swept no yard.";
    let tags = "I/PRON/nsubj/2 swept/VERB/root/0 no/DET/det/4 yard/NOUN/obj/2 ./PUNCT/punct/2";
    assert_eq!(taught(&[SWEPT[0], (2, text, tags), SWEPT[2]]), None);
}

#[test]
fn thing_that_makes_trouble_on_three_days_is_a_caution() {
    let found = taught(&[
        (
            1,
            "auth middleware caused test timeout",
            "auth/NOUN/compound/2 middleware/NOUN/nsubj/3 caused/VERB/root/0 test/NOUN/compound/5 timeout/NOUN/obj/3",
        ),
        (
            3,
            "auth middleware race condition under load",
            "auth/NOUN/compound/4 middleware/NOUN/compound/4 race/NOUN/compound/4 condition/NOUN/root/0 \
             under/ADP/case/6 load/NOUN/nmod/4",
        ),
        (
            6,
            "auth middleware flaky in CI",
            "auth/NOUN/compound/2 middleware/NOUN/nsubj/3 flaky/ADJ/root/0 in/ADP/case/5 CI/PROPN/obl/3",
        ),
    ])
    .unwrap();
    assert_eq!(found.text, "I had trouble with auth middleware on at least three days.");
    assert_eq!((found.kind, found.sources), (ReflectionKind::Caution, vec![0, 1, 2]));
    let of_joss = [
        (1, "Joss lost the key", "Joss/PROPN/nsubj/2 lost/VERB/root/0 the/DET/det/4 key/NOUN/obj/2"),
        (3, "Joss broke the key", "Joss/PROPN/nsubj/2 broke/VERB/root/0 the/DET/det/4 key/NOUN/obj/2"),
        (6, "Joss ruined the key", "Joss/PROPN/nsubj/2 ruined/VERB/root/0 the/DET/det/4 key/NOUN/obj/2"),
    ];
    assert_eq!(taught(&of_joss), None, "it is somebody's trouble, not that of the thing");
}

#[test]
fn lasting_statement_stands_for_memories_that_support_it() {
    let is = "The/DET/det/2 ferry/NOUN/nsubj/4 is/AUX/cop/4 slow/ADJ/root/0 in/ADP/case/6 spring/NOUN/obl/4 ./PUNCT/punct/4";
    let statement = (2, "The ferry is slow in spring.", is);
    let others = [
        (1, "The ferry was slow again, as in every spring.", ""),
        (4, "In spring the slow ferry waits for the ice.", ""),
    ];
    let found = said(&[others[0], statement, others[1]]);
    assert_eq!(found, Some((ReflectionKind::Pattern, "The ferry is slow in spring.".to_owned())));
    let apart = [(1, "The ferry took nine carts.", ""), statement, (4, "Joss missed the ferry.", "")];
    assert_eq!(said(&apart), None, "the others say something else");
}

#[test]
fn hearsay_and_what_has_nothing_in_common_teach_nothing() {
    let hearsay = [
        (1, "In Tarn they say that the bull is in the church.", ""),
        (2, "In Kestle they say that the bull is in the church.", ""),
        (4, "In Brackwater they say that the bull is in the church.", ""),
    ];
    assert_eq!(taught(&hearsay), None);
    let nothing_shared = [
        (1, "The river rose to the second step.", ""),
        (2, "A pedlar sold me needles.", ""),
        (4, "Rana sang until late.", ""),
    ];
    assert_eq!(taught(&nothing_shared), None);
}
