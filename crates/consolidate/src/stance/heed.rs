//! How far others than the rules are believed.

use super::{Ground, Judgement, Stance, weigh};

/// What is made of a judge's answer. Where it says that two texts are the same and the rules find a number, a name, a
/// negation or a role in which they differ, or cannot read them, the rules' own judgement stands; all else is as it says.
///
/// ```
/// use nightfold_consolidate::stance::{Ground, Stance, heed};
///
/// let (fallen, stands) = ("The bridge has fallen.", "The bridge has not fallen.");
/// assert_eq!(heed(Stance::Same, fallen, stands, 0.97).stance, Stance::Contradiction);
/// let burnt = "Fire destroyed the mill.";
/// assert_eq!(heed(Stance::Same, "The mill burned down.", burnt, 0.85).ground, Ground::Asked);
/// ```
pub fn heed(answer: Stance, a: &str, b: &str, cosine: f64) -> Judgement {
    if answer == Stance::Same {
        let ruled = weigh(a, b, cosine);
        if ruled.holds_apart() {
            return ruled;
        }
    }
    Judgement { stance: answer, ground: Ground::Asked }
}

/// What is made of no answer: where the rules find no fact in which the texts differ, they are the same from the cosine
/// `from` on. What cannot hold beside each other is a contradiction as ever.
///
/// On adversarial pairs a third of all contradictions lie above a cosine of 0.93: closeness alone merges nothing.
pub fn fall_back(a: &str, b: &str, cosine: f64, from: f64) -> Judgement {
    let ruled = weigh(a, b, cosine);
    if ruled.ground == Ground::Words || ruled.holds_apart() {
        return ruled;
    }
    let stance = if cosine >= from { Stance::Same } else { Stance::Unrelated };
    Judgement { stance, ground: Ground::FailSafe(from) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const APART: [(&str, &str); 5] = [
        ("Joss owes Tom 14 silver", "Joss owes Tom 15 silver"),
        ("Joss owes Tom silver", "Wren owes Tom silver"),
        ("Joss owes Tom silver", "Tom owes Joss silver"),
        ("The east gate is open", "The east gate is not open"),
        ("the", "and the"),
    ];

    #[test]
    fn nobody_makes_one_of_two_texts_that_differ_in_a_fact() {
        for (a, b) in APART {
            for (a, b) in [(a, b), (b, a)] {
                assert_ne!(heed(Stance::Same, a, b, 0.999).stance, Stance::Same, "{a} / {b}");
                assert_ne!(fall_back(a, b, 0.999, 0.0).stance, Stance::Same, "{a} / {b}");
            }
        }
    }

    #[test]
    fn what_a_judge_holds_apart_stays_apart() {
        let same = "I swept the common room";
        for stance in [Stance::Unrelated, Stance::Contradiction] {
            assert_eq!(heed(stance, same, same, 1.0), Judgement { stance, ground: Ground::Asked });
        }
    }

    #[test]
    fn without_an_answer_closeness_decides_and_a_denial_is_still_one() {
        let (a, b) = ("The miller repaired the wheel", "The miller mended the wheel");
        let of = |cosine| fall_back(a, b, cosine, 0.93);
        assert_eq!(of(0.93), Judgement { stance: Stance::Same, ground: Ground::FailSafe(0.93) });
        assert_eq!(of(0.929).stance, Stance::Unrelated);
        assert_eq!(fall_back(a, a, 0.2, 0.93).ground, Ground::Words);
        let denied = fall_back("The gate is open", "The gate is not open", 0.99, 0.93);
        assert_eq!(denied.stance, Stance::Contradiction);
    }
}
