//! Episodes of several days, and what they teach.

use nightfold_memory::{Distillate, DistillationSources, EarlierSource, GameTime, Kind, ReflectionKind};

use super::distillates;
use crate::text::analyze;

const DAY: i64 = 86_400;

/// An episode: day, feeling and text.
type Episode = (i64, f32, &'static str);

/// Returns what Mara learns from the first `in_group` of some episodes, with the others known beside.
fn taught(episodes: &[Episode], in_group: usize) -> Option<Distillate> {
    let joss = ["Joss".to_owned()];
    let known: Vec<EarlierSource<'_>> = episodes
        .iter()
        .map(|(day, feeling, text)| EarlierSource {
            text,
            kind: Kind::Event,
            importance: 5,
            feeling: *feeling,
            actors: if text.contains("Joss") { &joss } else { &[] },
            has_ended: false,
            place: text.contains("mill").then_some("the mill"),
            at: GameTime::from_seconds(day * DAY).unwrap(),
            vector: &[],
        })
        .collect();
    let groups = [(0..in_group).collect()];
    let own_name = &analyze("Mara Thorne", ["Mara Thorne"]);
    let sources = DistillationSources { known: &known, groups: &groups, own_name, min_days: 3 };
    distillates(&sources).pop()
}

fn taught_by_all(episodes: &[Episode]) -> Option<Distillate> {
    taught(episodes, episodes.len())
}

#[test]
fn trouble_on_three_days_is_a_caution() {
    let found = taught_by_all(&[
        (1, 0.0, "auth middleware caused test timeout"),
        (3, 0.0, "auth middleware race condition under load"),
        (6, 0.0, "auth middleware flaky in CI"),
    ])
    .unwrap();
    assert_eq!(
        found.text,
        "At least three times in six days I had trouble with auth middleware: auth middleware caused test timeout; auth \
         middleware race condition under load; auth middleware flaky in CI."
    );
    assert_eq!((found.kind, found.occasions, found.of), (ReflectionKind::Caution, 3, 3));
    assert_eq!(found.sources, [0, 1, 2]);
}

#[test]
fn occasions_without_trouble_are_counted_against_a_caution() {
    let episodes = [
        (1, 0.0, "The oven door jammed and the honey bread came out late."),
        (2, 0.0, "I burnt the honey bread because the oven door leaked smoke."),
        (4, -0.5, "The oven door fell on my foot."),
        (5, 0.0, "Tom looked at the oven door and whistled."),
    ];
    let found = taught(&episodes, 3).unwrap();
    assert!(
        found.text.starts_with(
            "At least three times in four days I had trouble with the oven door, and once I had none:"
        ),
        "{}",
        found.text
    );
    assert_eq!((found.kind, found.occasions, found.of), (ReflectionKind::Caution, 3, 4));

    // Trouble of another kind with the same thing is no occasion without trouble.
    let mut more = episodes.to_vec();
    more.push((6, 0.0, "The smith found a crack in the oven door."));
    more.push((7, 0.0, "The oven door jammed while the inn was empty."));
    let found = taught(&more, 3).unwrap();
    assert!(
        found.text.contains("and once I had none:") || found.text.contains("and once I had none."),
        "{}",
        found.text
    );
    assert_eq!((found.occasions, found.of), (3, 4));
}

#[test]
fn trouble_that_did_not_come_is_none() {
    let found = taught_by_all(&[
        (1, 0.0, "I took the ferry over the river without trouble, and never stalled."),
        (2, 0.0, "I brought nine carts to the ferry, and no wheel broke."),
        (4, 0.0, "I rode the ferry with the salt merchants at noon."),
    ])
    .unwrap();
    assert_eq!(found.kind, ReflectionKind::Pattern);
    assert!(
        found.text.starts_with("At least three times in four days I had to do with the ferry:"),
        "{}",
        found.text
    );
}

#[test]
fn likings_practice_people_and_places_have_types() {
    let kind = |texts: [&'static str; 3]| {
        let episodes: Vec<Episode> =
            texts.iter().zip([1, 2, 4]).map(|(text, day)| (day, 0.0, *text)).collect();
        let found = taught_by_all(&episodes)?;
        Some((found.kind, found.text))
    };
    let (liking, text) = kind([
        "I enjoyed the plum cake that Tom brought.",
        "I love plum cake, and I ate two slices.",
        "I liked the plum cake at the fair best.",
    ])
    .unwrap();
    assert_eq!(liking, ReflectionKind::Preference, "{text}");
    assert!(text.starts_with("At least three times in four days I was glad of the plum cake: "), "{text}");
    let (practice, text) = kind([
        "I practised the new sauce from the Lormont book.",
        "I practised the Lormont sauce with less vinegar.",
        "I practised the Lormont sauce and Tom asked for more.",
    ])
    .unwrap();
    assert_eq!(practice, ReflectionKind::Skill, "{text}");
    let (person, text) = kind([
        "Joss brought me six eggs.",
        "Joss told me about the wedding of his sister.",
        "Joss carried my flour up from the cart.",
    ])
    .unwrap();
    assert_eq!(person, ReflectionKind::Person, "{text}");
    assert!(text.starts_with("This I remember of Joss: "), "{text}");
    let (place, text) = kind([
        "The wheel of the mill turned all night.",
        "The miller has painted the mill red.",
        "Carts queued at the mill until noon.",
    ])
    .unwrap();
    assert_eq!(place, ReflectionKind::Place, "{text}");
}

#[test]
fn hearsay_is_no_pattern_and_a_state_of_earlier_is_not_told() {
    let hearsay = [
        (1, 0.0, "In Tarn they talk about the bull in the church."),
        (2, 0.0, "In Kestle they talk about the bull in the church."),
        (4, 0.0, "In Brackwater they laugh about the bull in the church."),
    ];
    assert_eq!(taught_by_all(&hearsay), None);
    let doses = [
        (1, 0.0, "I gave Joss a dose of feverfew."),
        (2, 0.0, "I have only three doses of feverfew left, and Joss needs two a day."),
        (4, 0.0, "I gave Joss the last dose at dawn."),
    ];
    let found = taught_by_all(&doses).unwrap();
    assert!(
        !found.text.contains("doses of feverfew left") && found.text.contains("the last dose at dawn"),
        "{}",
        found.text
    );
}

#[test]
fn nothing_is_taught_without_days_or_a_subject() {
    let one_day = [
        (1, 0.0, "The oven door jammed at dawn."),
        (1, 0.0, "I oiled the oven door."),
        (1, 0.0, "The oven door squeaks."),
    ];
    assert_eq!(taught_by_all(&one_day), None);
    let nothing_shared = [
        (1, 0.0, "The river rose to the second step."),
        (2, 0.0, "A pedlar sold me needles."),
        (4, 0.0, "Rana sang until late."),
    ];
    assert_eq!(taught_by_all(&nothing_shared), None);
}
