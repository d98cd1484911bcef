//! Small lives, and the conclusions from them.

use nightfold_memory::{
    Analysis, BeliefChange, Conclusion, ConclusionSources, EarlierSource, GameTime, Kind, ReflectionKind,
    ReflectionSource, ThemePattern,
};

use super::{conclude, pattern};
use crate::text::{analyze, tagged};

const DAY: i64 = 86_400;
const NEAR: &[f32] = &[1.0, 0.0];
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
/// believed and of what is believed instead.
fn concluded_with(story: &[Told], changes: &[(usize, usize)]) -> Vec<Conclusion> {
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
            is_heard: false,
            analysis,
            kind: Kind::Event,
            importance: told.importance,
            feeling: told.feeling,
            is_felt: true,
            actors: &actors,
            at: at(told),
            vector: told.vector,
        })
        .collect();
    let earlier: Vec<EarlierSource<'_>> = story
        .iter()
        .filter(|told| !of_today(told))
        .map(|told| EarlierSource {
            has_ended: false,
            text: told.text,
            is_heard: false,
            kind: Kind::Event,
            importance: told.importance,
            feeling: told.feeling,
            is_felt: true,
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
        own_name: &analyze("Mara Thorne", ["Mara Thorne"]),
        people: &people,
    };
    conclude(&known, 3)
}

fn concluded(story: &[Told]) -> Vec<Conclusion> {
    concluded_with(story, &[])
}

fn of_form<'a>(drawn: &'a [Conclusion], form: &str) -> Option<&'a Conclusion> {
    drawn.iter().find(|one| one.form == form)
}

#[test]
fn deed_of_several_days_is_told_in_the_words_that_all_share() {
    let argued = |day, text, tags| Told { tags, ..told(day, 9, 0.0, text) };
    let story = [
        argued(1, "I argued with the guard at the gate.", ""),
        argued(3, "I argued with the guard because he would not let me pass.", ""),
        argued(
            5,
            "I argued loudly with the guard over a pass.",
            "I/PRON/nsubj/2 argued/VERB+/root/0 loudly/ADV/advmod/2 with/ADP/case/6 the/DET/det/6 \
             guard/NOUN/obl/2 over/ADP/case/9 a/DET/det/9 pass/NOUN/obl/2 ./PUNCT/punct/2",
        ),
    ];
    let drawn = concluded(&story);
    let deed = of_form(&drawn, "deed").unwrap();
    assert_eq!(deed.text, "On at least three of the last five days I argued with the guard.");
    assert_eq!((deed.occasions, deed.rows.as_slice(), deed.earlier.as_slice()), (3, &[2][..], &[0, 1][..]));
    let undone = Told { text: "I did not argue with the guard.", ..story[1] };
    assert_eq!(of_form(&concluded(&[story[0], undone, story[2]]), "deed"), None, "a denial is no deed");
}

#[test]
fn clause_that_goes_on_behind_its_object_is_not_cut() {
    let told = |day, text, tags| Told { tags, ..told(day, 9, 0.0, text) };
    let story = [
        told(1, "I found the idea of a play interesting.", ""),
        told(2, "I found the idea of a song interesting.", ""),
        told(
            3,
            "I found the idea of singing interesting.",
            "I/PRON/nsubj/2 found/VERB+/root/0 the/DET/det/4 idea/NOUN/obj/2 of/SCONJ/mark/6 singing/VERB/acl/4 \
             interesting/ADJ/xcomp/2 ./PUNCT/punct/2",
        ),
    ];
    assert_eq!(of_form(&concluded(&story), "deed"), None);
    let with_me = [
        told(1, "I met Joss.", ""),
        told(2, "I met Joss at the mill.", ""),
        told(
            3,
            "Mara met Joss at noon.",
            "Mara/PROPN/nsubj/2 met/VERB+/root/0 Joss/PROPN/obj/2 at/ADP/case/5 noon/NOUN/obl/2 ./PUNCT/punct/2",
        ),
    ];
    assert_eq!(of_form(&concluded(&with_me), "deed").unwrap().text, "Three days running I met Joss.");
}

#[test]
fn two_ways_of_one_thing_are_compared_where_each_time_of_one_went_better() {
    let story = [
        told(1, 9, 0.3, "I went to the market early and found good fish."),
        told(2, 9, -0.2, "I went to the market late and found cabbage."),
        told(3, 9, 0.2, "I went to the market early and the eggs were cheap."),
        told(4, 9, -0.3, "I went to the market late and was cheated."),
        told(5, 9, 0.1, "I went to the market early and bought meat."),
    ];
    let drawn = concluded(&story);
    assert_eq!(
        drawn[0].text,
        "It went better when I went to the market early than when I went to the market late."
    );
    assert_eq!((drawn[0].kind, drawn[0].occasions), (ReflectionKind::Causal, 5));
    let mixed = [story[0], story[1], Told { feeling: -0.4, ..story[2] }, story[3], story[4]];
    assert_eq!(of_form(&concluded(&mixed), "when-then"), None);
}

#[test]
fn numbers_of_one_unit_are_ways() {
    let slept = |day, feeling, text| told(day, 7, feeling, text);
    let story = [
        slept(1, 0.4, "I slept eight hours and woke fresh."),
        slept(2, -0.3, "I slept four hours and was cross."),
        slept(3, 0.3, "I slept eight hours and sang."),
        slept(4, -0.2, "I slept five hours and dropped a jug."),
        slept(5, 0.4, "I slept nine hours and felt strong."),
    ];
    assert_eq!(
        concluded(&story)[0].text,
        "It went better when I slept nine hours than when I slept five hours."
    );
}

#[test]
fn objects_of_one_verb_are_ways_from_five_occasions_on() {
    let story = [
        told(1, 9, 0.4, "I fed the mule oats and it pulled like a young one."),
        told(2, 9, -0.4, "I fed the mule hay and it would not move."),
        told(3, 9, 0.3, "I fed the mule oats and it trotted."),
        told(4, 9, -0.3, "I fed the mule hay and it coughed."),
        told(5, 9, 0.4, "I fed the mule oats and it was glad."),
    ];
    assert_eq!(
        concluded(&story)[0].text,
        "It went better when I fed the mule oats than when I fed the mule hay."
    );
    assert_eq!(of_form(&concluded(&story[..4]), "when-then"), None);
}

#[test]
fn turn_is_told_with_what_the_npc_did_before_it() {
    let story = [
        told(1, 9, -0.5, "Joss snapped at me before the whole room."),
        told(2, 9, -0.4, "Joss shut the door in my face."),
        told(3, 9, 0.2, "I helped Joss carry his flour."),
        told(4, 9, 0.5, "Joss smiled at me and gave me a loaf."),
    ];
    let drawn = concluded(&story);
    assert_eq!(drawn[0].text, "It has gone better with Joss since I helped Joss carry his flour.");
    let unprompted =
        [story[0], story[1], Told { text: "Joss was kind to the miller.", ..story[2] }, story[3]];
    assert_eq!(
        concluded(&unprompted)[0].text,
        "The last two moments with Joss were good, the two before bad."
    );
}

#[test]
fn feelings_are_counted_with_those_against_them() {
    let bad = told(1, 9, -0.5, "Joss said before the room that he owes me nothing.");
    let story = [
        bad,
        told(2, 9, 0.4, "Joss helped the miller to mend the broken sluice."),
        Told { day: 3, text: "Joss laughed at the ledger with the whole room.", ..bad },
        Told { day: 4, text: "Joss struck the table and called the smith a liar.", ..bad },
        Told { day: 5, text: "Joss walked past my door without a word of greeting.", ..bad },
    ];
    let drawn = concluded(&story);
    let feeling = of_form(&drawn, "feeling").unwrap();
    assert_eq!(feeling.text, "Joss was part of four bad moments in five days, and of one good one.");
    assert_eq!((feeling.occasions, feeling.of), (4, 5));
    let mixed = [story[0], story[1], story[2], Told { day: 4, ..story[1] }];
    assert_eq!(of_form(&concluded(&mixed), "feeling"), None);
}

#[test]
fn change_of_mind_names_what_is_not_held_any_more() {
    let story = [
        told(1, 9, 0.0, "The sickness is in the air."),
        told(2, 9, 0.0, "The sickness is not in the air. It is in the water of the well."),
    ];
    let drawn = concluded_with(&story, &[(0, 1)]);
    assert_eq!(drawn[0].text, "I no longer believe that the sickness is in the air.");
    assert_eq!((drawn[0].form, drawn[0].kind), ("change-of-mind", ReflectionKind::Oneself));
    assert_eq!((drawn[0].rows.as_slice(), drawn[0].earlier.as_slice()), (&[1][..], &[0][..]));
}

#[test]
fn word_that_the_npc_finds_untrue_is_told_with_its_teller() {
    let story = [
        told(1, 9, 0.0, "Joss said that the bridge at Keth has fallen."),
        told(2, 9, 0.0, "I saw that the bridge at Keth has not fallen."),
    ];
    let drawn = concluded_with(&story, &[(0, 1)]);
    assert_eq!(drawn[0].text, "Joss's word that the bridge at Keth has fallen did not hold.");
    // What merely changed since proves nobody wrong.
    let since = [story[0], told(2, 9, 0.0, "I crossed the new bridge at Keth.")];
    assert_eq!(concluded_with(&since, &[(0, 1)])[0].form, "change-of-mind");
}

#[test]
fn matter_of_an_earlier_day_stays_open_until_something_may_close_it() {
    let owes = told(1, 9, 0.0, "Joss owes Ketty 5 silver.");
    let met = told(3, 9, 0.0, "Joss drank alone by the fire.");
    assert_eq!(concluded(&[owes, met])[0].text, "Joss still owes Ketty 5 silver.");
    let promised = told(1, 9, 0.0, "Joss promised to mend the roof.");
    assert_eq!(concluded(&[promised, met])[0].text, "Not closed yet: Joss promised to mend the roof.");
    for closing in ["Joss paid Ketty.", "Joss gave the silver back.", "Joss forgot nothing and returned it."]
    {
        assert_eq!(of_form(&concluded(&[owes, told(2, 9, 0.0, closing), met]), "open"), None, "{closing}");
    }
    let mended = told(2, 9, 0.0, "Joss mended the whole roof.");
    assert_eq!(of_form(&concluded(&[promised, mended, met]), "open"), None);
}

#[test]
fn person_of_several_days_is_counted_by_days() {
    let seen = |day, text| told(day, 9, 0.0, text);
    let story = [
        seen(1, "Joss came in from the rain."),
        seen(2, "I carried water with Joss."),
        seen(3, "Joss spoke of his father."),
    ];
    let drawn = concluded(&story);
    assert_eq!(of_form(&drawn, "days").unwrap().text, "Three days running Joss was part of my day.");
    let rare = [story[0], told(9, 9, 0.0, story[1].text), told(30, 9, 0.0, story[2].text)];
    assert_eq!(of_form(&concluded(&rare), "days"), None);
}

#[test]
fn price_is_told_by_its_course_or_its_range() {
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
    let text = |story: &[Told]| of_form(&concluded(story), "price").unwrap().text.clone();
    assert_eq!(
        text(&story),
        "I saw three prices of a keg of herring in nine days: 11 to 14 pence, the last 11."
    );
    let rising = [story[0], story[1], sold(9, "Joss bought a keg of herring for 15 pence", "15")];
    assert_eq!(text(&rising), "The price of a keg of herring rose from 12 to 15 pence in nine days.");
}

#[test]
fn share_of_a_theme_decides_its_wording() {
    let texts = ["the axle broke", "I paid for the axle", "Joss mended the axle", "Joss sang", "Joss left"];
    let read = texts.map(|text| analyze(text, ["Joss"]));
    let source = |kind: Kind| {
        (0..).zip(texts.iter().zip(&read)).enumerate().map(move |(row, (hour, (&text, analysis)))| {
            ReflectionSource {
                row,
                text,
                is_heard: false,
                analysis,
                kind,
                importance: 5,
                feeling: 0.0,
                is_felt: false,
                actors: &[],
                at: GameTime::from_seconds(3_600 * hour).unwrap(),
                vector: NEAR,
            }
        })
    };
    let (sources, talk): (Vec<_>, Vec<_>) = (source(Kind::Event).collect(), source(Kind::Chat).collect());
    let theme = ThemePattern { name: "Joss and the axle", sources: &sources[..4], of: 6 };
    // The part that more memories mention is named, and these are the sources.
    let most = pattern(&theme).unwrap();
    assert_eq!(
        (most.text.as_str(), most.subject.as_str()),
        ("Most of my day was about the axle.", "the axle")
    );
    assert_eq!(most.sources, [0, 1, 2]);
    let text = |theme: ThemePattern<'_>| pattern(&theme).map(|pattern| pattern.text);
    assert_eq!(
        text(ThemePattern { of: 12, sources: &talk[..4], ..theme }).unwrap(),
        "Much of my talk today was about the axle."
    );
    assert_eq!(text(ThemePattern { of: 13, ..theme }), None, "three of thirteen are not much");
    let joss = ThemePattern { name: "Joss", sources: &sources, ..theme };
    assert_eq!(text(joss).unwrap(), "Most of my day was about Joss.");
    assert_eq!(text(ThemePattern { sources: &talk, ..joss }), None, "she may be spoken to");
    assert_eq!(text(ThemePattern { sources: &sources[..3], ..joss }), None, "one memory is little");
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
