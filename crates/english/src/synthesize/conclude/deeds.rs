//! Deeds: what the NPC, or somebody else, did again and again.

use nightfold_memory::ReflectionKind;

use super::{
    Candidate,
    timeline::Timeline,
    wording::{frequency, is_dense},
};
use crate::synthesize::{
    clause::{Deed, Doer, Told, told_deeds},
    phrase::upper_first,
};

/// Minimum number of occasions.
const MIN_OCCASIONS: usize = 3;
/// Maximum number of occasions that add weight.
const MAX_WEIGHED: usize = 6;
const WEIGHT: u32 = 14;

pub(super) fn candidates(life: &Timeline<'_>) -> Vec<Candidate> {
    let told: Vec<(usize, Told<'_>)> =
        (0..life.seen.len()).filter_map(|at| Some((at, life.told(at)?))).collect();
    let often = |of: Vec<usize>| {
        let of = life.occasions(&of);
        (of.len() >= MIN_OCCASIONS && is_dense(life.days(&of), life.span(&of))).then_some(of)
    };
    let deeds = told_deeds(&told, often).into_iter();
    deeds.map(|(deed, clause, members)| candidate(life, &deed, &clause, members)).collect()
}

fn candidate(life: &Timeline<'_>, deed: &Deed<'_>, clause: &str, members: Vec<usize>) -> Candidate {
    let (days, within) = (life.days(&members), life.span(&members));
    let kind = match deed.doer {
        Doer::Own if deed.is_to_person => ReflectionKind::Pattern,
        Doer::Own => ReflectionKind::Oneself,
        _ => ReflectionKind::Social,
    };
    let importance: u32 = members.iter().map(|&at| u32::from(life.seen[at].importance)).sum();
    Candidate {
        compared: Vec::new(),
        form: "deed",
        kind,
        text: format!("{} {clause}", upper_first(&frequency(members.len(), days, within))),
        occasions: members.len(),
        of: members.len(),
        about: vec![deed.object.stem.clone()],
        subject: deed.subject.clone(),
        weight: WEIGHT
            + 2 * members.len().min(MAX_WEIGHED) as u32
            + importance / members.len() as u32
            + if days > 2 { 4 } else { 0 },
        seen: members,
    }
}
