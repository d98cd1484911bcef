//! Choice of the archived statements that a night is compared with.
//!
//! Most archived statements have no vector, and embedding them is expensive. So the choice is made by words:
//! an archived statement that repeats or contradicts a statement of the day shares its content words.

use nightfold_memory::{LanguagePack, MemoryRecord};

use crate::collapse::DistinctMemory;

/// Least share of the content words of the shorter statement that the other one must contain, by weight.
const MIN_SHARED: f64 = 0.25;

/// Content words of one statement as hashes, sorted and distinct.
type StemHashes = Vec<u64>;

/// Returns the indices of the archived statements that share most with a single statement of the day:
/// ascending, at most `most`.
pub(crate) fn choose_archived(
    day: &[DistinctMemory],
    archived: &[MemoryRecord],
    most: usize,
    pack: &dyn LanguagePack,
) -> Vec<usize> {
    if most == 0 || archived.is_empty() {
        return Vec::new();
    }
    let said: Vec<StemHashes> =
        day.iter().filter(|d| d.readings.is_none()).map(|d| stem_hashes(&d.text, pack)).collect();
    let let_go: Vec<StemHashes> = archived.iter().map(|a| stem_hashes(&a.entry.text, pack)).collect();
    let weights = Weights::of(said.iter().chain(&let_go));
    let totals: Vec<f64> = said.iter().map(|keys| weights.sum(keys)).collect();
    let mut holders: Vec<(u64, usize)> =
        said.iter().enumerate().flat_map(|(row, keys)| keys.iter().map(move |&key| (key, row))).collect();
    holders.sort_unstable();

    let mut shared = vec![0.0; said.len()];
    let mut scored: Vec<(f64, usize)> = Vec::new();
    for (place, keys) in let_go.iter().enumerate() {
        shared.fill(0.0);
        for &key in keys {
            let first = holders.partition_point(|(held, _)| *held < key);
            let of_key = holders.iter().skip(first).take_while(|(held, _)| *held == key);
            let weight = weights.of_key(key);
            of_key.for_each(|&(_, row)| shared[row] += weight);
        }
        let total = weights.sum(keys);
        let score = |(both, said): (&f64, &f64)| {
            let least = total.min(*said);
            // The shared weight, reduced by the share of the shorter statement that it covers.
            (least > 0.0 && *both >= MIN_SHARED * least).then(|| both * both / least)
        };
        let best = shared.iter().zip(&totals).filter_map(score).fold(0.0, f64::max);
        if best > 0.0 {
            scored.push((best, place));
        }
    }
    scored.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.truncate(most);
    let mut chosen: Vec<usize> = scored.into_iter().map(|(_, place)| place).collect();
    chosen.sort_unstable();
    chosen
}

/// Returns the stems of a text's content words as hashes.
fn stem_hashes(text: &str, pack: &dyn LanguagePack) -> StemHashes {
    let mut keys = StemHashes::new();
    pack.content_stems(text, &mut |stem| keys.push(fnv(stem)));
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// FNV-1a hash. Two words with the same hash only make the choice worse.
fn fnv(word: &str) -> u64 {
    word.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Inverse document frequency of each word.
struct Weights {
    by_key: Vec<(u64, f64)>,
}

impl Weights {
    fn of<'a>(statements: impl Iterator<Item = &'a StemHashes>) -> Self {
        let (mut all, mut count) = (Vec::new(), 0_usize);
        for keys in statements {
            all.extend_from_slice(keys);
            count += 1;
        }
        all.sort_unstable();
        // Never zero: two statements that say the same contain the same words.
        let weight = |run: &[u64]| (1.0 + count as f64 / run.len() as f64).ln();
        let runs = all.chunk_by(|a, b| a == b);
        Self { by_key: runs.filter_map(|run| Some((*run.first()?, weight(run)))).collect() }
    }

    fn of_key(&self, key: u64) -> f64 {
        let place = self.by_key.binary_search_by_key(&key, |(known, _)| *known);
        place.map_or(0.0, |place| self.by_key[place].1)
    }

    fn sum(&self, keys: &[u64]) -> f64 {
        keys.iter().map(|&key| self.of_key(key)).sum()
    }
}

#[cfg(test)]
mod tests {
    use nightfold_english::English;
    use nightfold_memory::Memory;
    use serde_json::json;

    use super::*;

    fn day(texts: &[&str]) -> Vec<DistinctMemory> {
        let memory = |(i, text): (usize, &&str)| -> Memory {
            let id = format!("m-{i}");
            let memory = json!({"id": id, "npc": "n", "at": i, "kind": "event", "text": text});
            serde_json::from_value(memory).unwrap()
        };
        texts.iter().enumerate().map(memory).map(|memory| DistinctMemory::of(&memory)).collect()
    }

    fn archived(texts: &[&str]) -> Vec<MemoryRecord> {
        let entry = |(i, text): (usize, &&str)| -> MemoryRecord {
            let entry = json!({
                "npc": "n", "id": format!("a-{i}"), "form": "verbatim", "kind": "event", "text": text, "at": 0, "last_at": 0,
                "importance": 2, "occurrences": 1, "sources": [], "state": "archived", "archived_by": "over-budget",
                "corroborations": 0, "confidence": "normal", "touched_at": 0, "night": "day-0"
            });
            serde_json::from_value(entry).unwrap()
        };
        texts.iter().enumerate().map(entry).collect()
    }

    #[test]
    fn repeated_or_contradicted_statements_rank_before_those_sharing_a_word() {
        let let_go = archived(&[
            "Wren baked bread at the mill.",
            "The ferry rope was frayed.",
            "Joss sang of the sea.",
            "The mill pond froze over night.",
        ]);
        let day =
            day(&["The rope of the ferry isn't frayed.", "Wren came by.", "The mill's pond is freezing."]);
        assert_eq!(choose_archived(&day, &let_go, 1, &English), [1]);
        assert_eq!(choose_archived(&day, &let_go, 2, &English), [1, 3], "places ascend");
        assert_eq!(choose_archived(&day, &let_go, 0, &English), [0; 0]);
        assert!(
            !choose_archived(&day, &let_go, 256, &English).contains(&2),
            "it shares no word with the day"
        );
    }

    #[test]
    fn choice_does_not_depend_on_the_order_of_the_day() {
        let let_go =
            archived(&["The well is dry.", "The well is deep.", "The dry well was blessed.", "Well, well."]);
        let texts = ["The well is dry again.", "A blessing on the well.", "How deep is the dry well?"];
        let mut turned = texts;
        turned.reverse();
        for most in 1..4 {
            assert_eq!(
                choose_archived(&day(&texts), &let_go, most, &English),
                choose_archived(&day(&turned), &let_go, most, &English)
            );
        }
    }

    #[test]
    fn texts_without_words_choose_nothing() {
        assert_eq!(
            choose_archived(&day(&["…", "\u{1f319}", "é"]), &archived(&["", "!?", "to be"]), 16, &English),
            [0; 0]
        );
    }
}
