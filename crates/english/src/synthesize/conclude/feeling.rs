//! Feelings of the NPC about somebody or something, counted over occasions.

use nightfold_memory::ReflectionKind;

use super::{
    Candidate,
    subjects::Subject,
    timeline::Timeline,
    wording::{span, times},
};
use crate::{lexicon::WordClass, synthesize::phrase::upper_first, text::tokens};

/// Minimum strength of a feeling.
const MIN_FEELING: f32 = 0.1;
/// Minimum number of occasions within one day that share a feeling; over several days two are enough.
const MIN_WITHIN_DAY: usize = 3;
/// Minimum share of the occasions with any feeling.
const MIN_SHARE: f64 = 0.75;
/// Minimum importance of the memory that is told.
const MIN_IMPORTANCE: u8 = 5;
const WEIGHT: u32 = 14;
/// Maximum number of occasions that add weight.
const MAX_WEIGHED: usize = 5;

pub(super) fn candidates(life: &Timeline<'_>) -> Vec<Candidate> {
    let subjects = life.subjects.iter().filter(|subject| !subject.is_measure);
    subjects.filter_map(|subject| candidate(life, subject)).collect()
}

fn candidate(life: &Timeline<'_>, subject: &Subject) -> Option<Candidate> {
    let felt =
        |at: &usize| life.seen[*at].feeling.abs() >= MIN_FEELING && life.statement_on(*at, subject).is_some();
    let all = life.occasions(&subject.members.iter().copied().filter(felt).collect::<Vec<_>>());
    let (well, ill): (Vec<usize>, Vec<usize>) = all.iter().partition(|&&at| life.seen[at].feeling > 0.0);
    let is_ill = ill.len() >= well.len();
    let (same, counter) = if is_ill { (ill, well.len()) } else { (well, ill.len()) };
    let days = life.days(&same);
    let is_often = same.len() >= MIN_WITHIN_DAY || days > 1 && same.len() > 1;
    let is_common = same.len() as f64 >= MIN_SHARE * all.len() as f64;
    if !is_often || !is_common || !same.iter().any(|&at| life.is_of_today(at)) {
        return None;
    }
    let said = strongest(life, &same, subject, is_ill)?;
    let within = if days > 1 { format!("in {}", span(life.span(&same))) } else { "today".to_owned() };
    let (felt, other, most) = if is_ill {
        ("troubled about", "glad", "What weighs most is that")
    } else {
        ("glad about", "troubled", "What I am most glad of is that")
    };
    let never = if counter == 0 { "not once".to_owned() } else { times(counter) };
    let counted = upper_first(&times(same.len()));
    Some(Candidate {
        form: "feeling",
        kind: ReflectionKind::Oneself,
        text: format!(
            "{counted} {within} I was {felt} {}, and {never} {other}. {most} {said}",
            subject.phrase
        ),
        told: vec![subject.phrase.clone(), said],
        occasions: same.len(),
        of: all.len(),
        weight: WEIGHT
            + 2 * same.len().min(MAX_WEIGHED) as u32
            + if subject.is_person { 3 } else { 0 }
            + if days > 1 { 3 } else { 0 },
        seen: same,
        about: subject.words.clone(),
    })
}

/// Returns the statement on the subject of the memory of strongest feeling.
fn strongest(life: &Timeline<'_>, among: &[usize], subject: &Subject, is_ill: bool) -> Option<String> {
    let mut among: Vec<usize> = among.to_vec();
    among.retain(|&at| life.seen[at].importance >= MIN_IMPORTANCE);
    among.sort_by(|&a, &b| life.seen[b].feeling.abs().total_cmp(&life.seen[a].feeling.abs()).then(b.cmp(&a)));
    // Nobody is glad that somebody weeps, though the day be a good one.
    let fits = |said: &String| {
        is_ill || !tokens(said).iter().any(|t| WordClass::Harm.has(&t.stem) || WordClass::Grief.has(&t.lower))
    };
    among.into_iter().filter_map(|at| life.statement_on(at, subject)).find(fits)
}
