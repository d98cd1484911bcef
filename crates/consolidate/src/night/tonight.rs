//! What was heard in one night, held against what was heard earlier the same night: the order in which memories arrive
//! must not matter, and an NPC does not believe two things at once because it heard both before it slept.

use nightfold_memory::GameTime;

use super::{Reconciling, Synthesized, reconciling::Candidate};
use crate::{collapse::Distinct, gram::dot, triage::Fate};

/// A memory kept in its own words, and something later that lies close to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    /// Its row.
    pub(super) earlier: usize,
    pub(super) later: Candidate,
    pub(super) cosine: f64,
}

/// Whatever is told or confirmed after a memory that would be kept in its own words, with the nearest such memories
/// `within` some cosine: in order of what is later, the closest first. What confirms a known entry is among it, for it
/// says what holds now. Of things heard at one moment none is the later one, unless they are merged, when either may be.
pub(super) fn pairs(night: &Reconciling, within: impl Fn(f64) -> bool) -> Vec<Pair> {
    let Synthesized { frame, triage, tellings, .. } = &night.synthesized;
    let said = |row: usize| night.is_candidate(row) || matches!(triage.fates[row], Fate::Corroborate(..));
    let memories = (0..triage.fates.len()).filter(|&row| said(row)).map(Candidate::Memory);
    let mut later: Vec<(Span, Candidate)> = memories
        .chain((0..tellings.len()).map(Candidate::Telling))
        .map(|candidate| (Span::of(night, candidate), candidate))
        .collect();
    // Stable: of one moment in order of rows, and those are in an order of their own.
    later.sort_by_key(|(span, _)| span.last);
    let kept: Vec<(Span, usize)> = later
        .iter()
        .filter_map(|&(span, candidate)| match candidate {
            Candidate::Memory(row) if night.is_candidate(row) => Some((span, row)),
            _ => None,
        })
        .collect();
    let mut all = Vec::new();
    for (span, later) in later {
        let vector = night.vector(later);
        let mut near: Vec<Pair> = kept
            .iter()
            .take_while(|&&(_, earlier)| later != Candidate::Memory(earlier))
            .filter(|(before, _)| before.last <= span.first)
            .map(|&(_, earlier)| {
                let cosine = f64::from(dot(night.synthesized.vectors.row(earlier), vector));
                Pair { earlier, later, cosine }
            })
            .filter(|pair| within(pair.cosine))
            .collect();
        near.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.earlier.cmp(&b.earlier)));
        near.truncate(frame.config.reconcile.neighbours);
        all.extend(near);
    }
    all
}

/// From when until when something was lived through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) first: GameTime,
    pub(super) last: GameTime,
}

impl Span {
    pub(super) fn of(night: &Reconciling, candidate: Candidate) -> Self {
        let frame = &night.synthesized.frame;
        let rows = night.rows(candidate);
        let lived = || rows.iter().map(|&row| &frame.distinct[row]);
        // Repeats of a memory say that it still holds, so only its last time counts; a synthesis tells all of its own.
        let first = match candidate {
            Candidate::Memory(row) => frame.distinct[row].last_at,
            Candidate::Telling(_) => lived().map(Distinct::first_at).min().unwrap_or(frame.until),
        };
        Self { first, last: lived().map(|d| d.last_at).max().unwrap_or(frame.until) }
    }
}
