//! Value of unrated talk for its length: what says the same in fewer words is forgotten later, because text is scarce.

use super::is_unrated_talk;
use crate::collapse::DistinctMemory;

/// Length in characters at which the value of talk is its salience.
const USUAL_CHARS: f64 = 140.0;

/// Number of characters that an entry costs besides its text.
const BASE_CHARS: f64 = 60.0;

/// Exponent with which the value falls with the length. At 0 long talk wins, because it holds more; at 1 the shortest
/// remark does.
const LENGTH_EXPONENT: f64 = 0.5;

/// Returns the salience of a memory, that of unrated talk for its length.
pub(crate) fn salience_for_length(memory: &DistinctMemory, salience: f64) -> f64 {
    if !is_unrated_talk(memory) {
        return salience;
    }
    let chars = memory.text.chars().count() as f64;
    salience * ((BASE_CHARS + USUAL_CHARS) / (BASE_CHARS + chars)).powf(LENGTH_EXPONENT)
}

#[cfg(test)]
mod tests {
    use nightfold_memory::Memory;

    use super::*;

    fn memory(kind: &str, chars: usize, importance: Option<u8>) -> DistinctMemory {
        let memory: Memory = serde_json::from_value(serde_json::json!({
            "id": "m", "npc": "n", "at": 1, "kind": kind, "text": "a".repeat(chars), "importance": importance
        }))
        .unwrap();
        DistinctMemory::of(&memory)
    }

    #[test]
    fn unrated_talk_is_worth_more_the_shorter_it_is() {
        let of = |memory: DistinctMemory| salience_for_length(&memory, 4.0);
        assert!((of(memory("chat", 140, None)) - 4.0).abs() < 1e-12);
        assert!(of(memory("chat", 70, None)) > 4.5);
        assert!(of(memory("chat", 600, None)) < 2.5);
        assert!((of(memory("chat", 600, Some(4))) - 4.0).abs() < 1e-12, "rated");
        assert!((of(memory("event", 600, None)) - 4.0).abs() < 1e-12, "no talk");
    }
}
