//! Questions that villagers ask each other, and the choice of the answer.

use nightfold_ecs::{RecalledEntry, memory::RecordKind};

/// Question asked by one villager of another, at a minute of a day.
pub(crate) struct Talk {
    day: i64,
    at: (i64, i64),
    pub(crate) place: &'static str,
    pub(crate) asks: &'static str,
    pub(crate) asked: &'static str,
    pub(crate) question: &'static str,
}

impl Talk {
    pub(crate) fn minute(&self) -> i64 {
        self.day * 1_440 + self.at.0 * 60 + self.at.1
    }
}

const fn talk(
    day: i64,
    at: (i64, i64),
    place: &'static str,
    asks: &'static str,
    asked: &'static str,
    question: &'static str,
) -> Talk {
    Talk { day, at, place, asks, asked, question }
}

const MARA: &str = "Mara Thorne";
const TOM: &str = "Tom Aldous";
const BRAN: &str = "Bran Holt";
const ELSBETH: &str = "Elsbeth Crane";
const PELL: &str = "Old Pell";
const WREN: &str = "Wren Aldous";

/// Talks on the mornings after each night.
pub(crate) const TALKS: [Talk; 9] = [
    talk(1, (6, 40), "At the forge", WREN, TOM, "What is it with Joss and the silver for the axle?"),
    talk(1, (7, 10), "In the Heron", PELL, MARA, "What do we need for the Lantern Festival?"),
    talk(1, (7, 30), "At the Vosses' door", MARA, ELSBETH, "How is Odo's fever?"),
    talk(2, (6, 50), "On the landing", WREN, PELL, "What did you hear of the bridge at Stonewater?"),
    talk(2, (7, 20), "By the gate", TOM, BRAN, "Who is in charge of order at the festival?"),
    talk(2, (7, 40), "In the Heron", ELSBETH, MARA, "What does Joss owe Tom?"),
    talk(3, (5, 20), "Over the broken bench", PELL, MARA, "What happened between Tom and Joss last night?"),
    talk(3, (5, 30), "At the hearth", TOM, WREN, "What do you want to become?"),
    talk(3, (5, 40), "At the gate", MARA, BRAN, "Where are you riding today, and why?"),
];

/// Returns the text of the entry nearest to the question, or of a reflection that is almost as near, and true
/// if it is a reflection.
pub(crate) fn speak(memories: &[RecalledEntry]) -> Option<(String, bool)> {
    let nearest = memories.iter().max_by(|a, b| a.relevance.total_cmp(&b.relevance))?;
    let insight = memories
        .iter()
        .filter(|memory| memory.form == RecordKind::Reflection && memory.relevance > nearest.relevance - 0.1)
        .max_by(|a, b| a.relevance.total_cmp(&b.relevance));
    Some((insight.unwrap_or(nearest).text.clone(), insight.is_some()))
}
