//! Foundation of a statement: lived through, told by somebody, rumoured, or not put forward as true at all.

use std::ops::Range;

use nightfold_memory::{Foundation, Kind};

use super::{reports::is_attributed, split::asserted_clauses};
use crate::{lexicon::WordClass, text::spaced};

/// Returns the foundation of a memory, from its kind and its words.
pub(crate) fn foundation(kind: Kind, text: &str) -> Foundation {
    foundation_of(kind, text, &asserted_clauses(text))
}

/// Returns the foundation of a memory whose asserted clauses are known.
pub(super) fn foundation_of(kind: Kind, text: &str, clauses: &[Range<usize>]) -> Foundation {
    let words = spaced(text);
    if clauses.is_empty() || WordClass::Fiction.occurs_in(&words) {
        Foundation::Unasserted
    } else if WordClass::Rumour.occurs_in(&words) {
        Foundation::Rumour
    } else if kind == Kind::Chat || is_attributed(text, &words) {
        Foundation::Told
    } else {
        Foundation::Lived
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foundation_follows_from_kind_and_words() {
        use Foundation::{Lived, Rumour, Told, Unasserted};
        use Kind::{Chat, Event, Thought};
        for (kind, text, expected) in [
            (Event, "The north gate is open.", Lived),
            (Thought, "I think the baker is a liar.", Lived),
            (Chat, "The north gate is open.", Told),
            (Event, "Tom told me that the north gate is open.", Told),
            (Event, "Tom said the north gate is open.", Told),
            (Chat, "Word is the north gate is open.", Rumour),
            (Event, "They say the bridge has fallen.", Rumour),
            (Chat, "The player lied to me: The north gate is open", Unasserted),
            (Chat, "It is a lie that Wren is not my sister", Unasserted),
            (Event, "I dreamt that the mayor died.", Unasserted),
            (Chat, "Is the north gate open?", Unasserted),
            (Thought, "If the gate is open, I can leave at night.", Unasserted),
            (Thought, "Perhaps the gate is open.", Unasserted),
            (Chat, "Is it so? The north gate is open.", Told),
            (Event, "The north gate is shut. I hope the mill stands.", Lived),
            (Event, "I hope the north gate is shut, can you ask Tom about it?", Unasserted),
        ] {
            assert_eq!(foundation(kind, text), expected, "{text}");
        }
    }

    #[test]
    fn sentence_of_somebody_else_is_told_however_it_is_attributed() {
        let facts =
            ["the mayor is dead", "the north gate is shut", "Pell is the thief", "salt costs nine pence"];
        let ways = [
            "The player told me that {}.",
            "The player wrote me that {}.",
            "The player shouted, \"{}!\"",
            "The player whispered: \"{}.\"",
            "\"{},\" the player whispered.",
            "\"{}\", said the player.",
            "A note reads: {}.",
            "A letter from the player says that {}.",
            "The player: {}.",
            "Player: \"{}\"",
            "The player insisted {}.",
            "The player let me know that {}.",
            "According to the player, {}.",
            "I heard from the player that {}.",
            "The sign on the door shows that {}.",
            "The stranger scratched that {} into my table.",
            "The player claims {}.",
            "The player came in and said {}.",
            "A tall player signed that {}.",
            "The player sang that {}.",
            "The player made clear to me that {}.",
            "{}, the player whispered.",
            "{} \u{2014} so said the player.",
            "In the player's words: {}.",
            "The player yelled across the yard that {}.",
        ];
        for way in ways {
            for fact in facts {
                let text = way.replace("{}", fact);
                assert!(foundation(Kind::Event, &text) < Foundation::Lived, "{text}");
            }
        }
    }

    #[test]
    fn own_words_and_deeds_are_lived() {
        for text in [
            "I told the reeve that the north gate is shut.",
            "I said: \"The north gate is shut.\"",
            "I saw that the gate is shut.",
            "The hammer that Joss made is broken.",
            "Odile sold the mare, the cart and the mule.",
            "I read the old ballad \"Green Hill\" by the fire.",
            "Three things are left: bread, salt and a rope.",
        ] {
            assert_eq!(foundation(Kind::Event, text), Foundation::Lived, "{text}");
        }
    }
}
