//! Choice of the distinct memories that a night takes, if its day holds more than `cluster.max_distinct`.
//!
//! Memories are taken in rounds: in each round every sender gives the next best of theirs, until the bound is
//! reached. So senders with few memories lose none, and whoever sent most loses first: a player who sends thousands of
//! lines takes no room from anybody else, however the game rates these lines. Pinned memories come before all rounds.

use std::{cmp::Reverse, collections::BTreeMap};

use nightfold_memory::{NpcId, Reason, Rule, config::SalienceConfig};

use crate::{collapse::DistinctMemory, salience::salience_by_game};

/// A distinct memory that the night does not take, with the reason.
pub(crate) type LeftOut = (DistinctMemory, Reason);

/// Order of a memory among those of its sender, the best first.
type OwnOrder = (Reverse<bool>, Reverse<u64>, u64);

/// Returns the distinct memories that a night takes, at most `most`, and the others. Both stay in the given order,
/// which is canonical.
pub(crate) fn fit_to_max_distinct(
    distinct: Vec<DistinctMemory>,
    most: usize,
    npc: &NpcId,
    config: &SalienceConfig,
) -> (Vec<DistinctMemory>, Vec<LeftOut>) {
    let given = distinct.len();
    if given <= most {
        return (distinct, Vec::new());
    }
    let senders = senders(&distinct, npc);
    let mut by_sender: BTreeMap<Option<&str>, Vec<(OwnOrder, usize)>> = BTreeMap::new();
    for (row, (memory, sender)) in distinct.iter().zip(&senders).enumerate() {
        let own = by_sender.entry(*sender).or_default();
        own.push((own_order(memory, own.len(), config), row));
    }
    let mut order = Vec::with_capacity(given);
    let mut of_sender = vec![0; given];
    for own in by_sender.values_mut() {
        own.sort_unstable();
        for (round, &((pinned, score, spread), row)) in own.iter().enumerate() {
            of_sender[row] = own.len();
            order.push((pinned, round, score, spread, row));
        }
    }
    order.sort_unstable();
    let mut is_taken = vec![false; given];
    order.iter().take(most).for_each(|&(.., row)| is_taken[row] = true);
    let reason = |row: usize| {
        Reason::new(Rule::OverDistinct)
            .with("distinct", given)
            .with("max_distinct", most)
            .with("of_sender", of_sender[row])
    };
    let (mut taken, mut left_out) = (Vec::with_capacity(most), Vec::with_capacity(given - most));
    for (row, memory) in distinct.into_iter().enumerate() {
        if is_taken[row] {
            taken.push(memory);
        } else {
            left_out.push((memory, reason(row)));
        }
    }
    (taken, left_out)
}

/// Returns the sender of each memory: of its participants other than the NPC the one with the most memories of the
/// day, so that nobody escapes their share by naming others too. `None` if nobody else takes part.
fn senders<'a>(distinct: &'a [DistinctMemory], npc: &NpcId) -> Vec<Option<&'a str>> {
    let others = |memory: &'a DistinctMemory| {
        memory.actors.iter().map(String::as_str).filter(|actor| *actor != npc.as_str())
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    distinct.iter().flat_map(others).for_each(|actor| *counts.entry(actor).or_default() += 1);
    let count = |actor: &str| counts.get(actor).copied();
    // Of equally many, the first by name.
    let most = |a: &&str, b: &&str| count(a).cmp(&count(b)).then_with(|| b.cmp(a));
    distinct.iter().map(|memory| others(memory).max_by(most)).collect()
}

/// Returns the place of a memory among those of its sender: pinned ones first, then by salience as far as it comes
/// from the game. Of equal ones an even selection over the day comes first, so that no evening is lost as a whole;
/// `place` is the number of memories that the sender has before this one.
fn own_order(memory: &DistinctMemory, place: usize, config: &SalienceConfig) -> OwnOrder {
    // Salience is not negative, so its bits are in its order.
    let salience = salience_by_game(memory, config).to_bits();
    (Reverse(memory.pinned), Reverse(salience), (place as u64).reverse_bits())
}

#[cfg(test)]
mod tests {
    use nightfold_memory::Memory;

    use super::*;
    use crate::collapse::collapse_exact;

    fn memories(actor: Option<&str>, from: i64, count: i64, importance: u8) -> Vec<Memory> {
        let memory = |n: i64| {
            serde_json::from_value(serde_json::json!({
                "id": format!("{}-{n:05}", actor.unwrap_or("own")), "npc": "Mara", "at": n, "kind": "chat",
                "text": format!("{} says {n}", actor.unwrap_or("Mara")), "importance": importance,
                "actors": actor.into_iter().chain(["Mara"]).collect::<Vec<_>>(),
            }))
            .unwrap()
        };
        (from..from + count).map(memory).collect()
    }

    fn fitted(memories: &[Memory], most: usize) -> (Vec<DistinctMemory>, Vec<LeftOut>) {
        fit_to_max_distinct(
            collapse_exact(memories),
            most,
            &"Mara".parse().unwrap(),
            &SalienceConfig::default(),
        )
    }

    fn taken_of(taken: &[DistinctMemory], sender: &str) -> usize {
        taken.iter().filter(|memory| memory.id.as_str().starts_with(sender)).count()
    }

    #[test]
    fn flood_of_one_sender_displaces_no_memory_of_others_however_it_is_rated() {
        let mut day = memories(Some("Player"), 0, 10_000, 10);
        day.extend(memories(Some("Tom"), 20_000, 20, 1));
        day.extend(memories(None, 30_000, 10, 1));
        let (taken, left_out) = fitted(&day, 5000);
        assert_eq!((taken.len(), left_out.len()), (5000, 5030));
        assert_eq!((taken_of(&taken, "Tom"), taken_of(&taken, "own")), (20, 10));
        let (_, reason) = &left_out[0];
        assert_eq!(reason.rule, Rule::OverDistinct);
        assert_eq!(reason.details(), ["distinct 10030", "max distinct 5000", "of sender 10000"]);
    }

    #[test]
    fn flood_that_names_others_too_counts_as_the_flooders() {
        let mut day = memories(Some("Player"), 0, 1000, 9);
        for (n, memory) in day.iter_mut().enumerate() {
            memory.actors.insert(0, format!("guest {n}"));
        }
        day.extend(memories(Some("Tom"), 2000, 30, 2));
        assert_eq!(taken_of(&fitted(&day, 100).0, "Tom"), 30);
    }

    #[test]
    fn pinned_and_highest_rated_memories_of_a_sender_are_taken_first() {
        let mut day = memories(Some("Player"), 0, 500, 3);
        day[400].pinned = true;
        day[17].importance = serde_json::from_str("9").unwrap();
        day.extend(memories(Some("Tom"), 1000, 500, 8));
        let (taken, _) = fitted(&day, 11);
        assert_eq!((taken_of(&taken, "Player"), taken_of(&taken, "Tom")), (5, 6));
        for id in ["Player-00400", "Player-00017"] {
            assert!(taken.iter().any(|memory| memory.id.as_str() == id), "{id}");
        }
    }

    #[test]
    fn equally_rated_memories_are_taken_evenly_over_the_day() {
        let (taken, _) = fitted(&memories(None, 0, 1000, 5), 250);
        let of_quarter = |quarter: i64| taken.iter().filter(|m| m.at.seconds() / 250 == quarter).count();
        assert!((0..4).map(of_quarter).all(|count| (55..=70).contains(&count)));
    }

    #[test]
    fn day_within_the_bound_is_taken_whole() {
        let day = memories(None, 0, 10, 5);
        assert_eq!(fitted(&day, 10), (collapse_exact(&day), Vec::new()));
    }
}
