//! Acceptance of a judge's verdicts: each is checked against the rules of the language pack.

use nightfold_memory::{
    CORROBORATED_SHARE, Evidence, Judgement, LanguagePack, Stance, Verdict, config::JudgeConfig,
};

/// Returns the judgement that follows from a verdict.
///
/// A verdict of *same* is rejected if the rules find a differing number, name, role or negation, or cannot
/// read the texts, whoever gave it. If only a number or a plain negation differs, the judgement is a
/// contradiction. A contradiction that the rules find too needs half of the usual probability, and a plain
/// negation needs none.
///
/// ```
/// use nightfold_consolidate::accept_verdict;
/// use nightfold_english::English;
/// use nightfold_memory::{Evidence, config::JudgeConfig, Stance, Verdict};
///
/// let (same, judge) = (Verdict::certain(Stance::Same), JudgeConfig::default());
/// let (fallen, stands) = ("The bridge has fallen.", "The bridge has not fallen.");
/// assert_ne!(accept_verdict(same, fallen, stands, 0.97, &judge, &English).stance, Stance::Same);
/// let burnt = "Fire destroyed the mill.";
/// assert_eq!(accept_verdict(same, "The mill burned down.", burnt, 0.85, &judge, &English).evidence, Evidence::Judged);
/// ```
pub fn accept_verdict(
    verdict: Verdict,
    a: &str,
    b: &str,
    cosine: f64,
    settings: &JudgeConfig,
    pack: &dyn LanguagePack,
) -> Judgement {
    accept_ruled(verdict, [a, b], || pack.judge(a, b, cosine), settings, pack)
}

/// Returns the judgement of [`accept_verdict`]; `rule` judges the two texts by the rules.
pub(crate) fn accept_ruled(
    verdict: Verdict,
    texts: [&str; 2],
    rule: impl FnOnce() -> Judgement,
    settings: &JudgeConfig,
    pack: &dyn LanguagePack,
) -> Judgement {
    let stance = verdict.stance(settings.same_from, settings.contradiction_from);
    let judged = |stance, evidence| Judgement { stance, evidence, verdict: Some(verdict) };
    if stance == Stance::Contradiction {
        return judged(stance, Evidence::Judged);
    }
    let ruled = rule();
    let negations = || texts.map(|text| pack.analyze(text, &[]).negations);
    let agreeing = verdict.contradiction >= CORROBORATED_SHARE * settings.contradiction_from;
    if ruled.stance == Stance::Contradiction
        && (agreeing
            || is_plain_negation(&ruled, negations)
            || stance == Stance::Same && rules_outrank_judge(&ruled, negations))
    {
        return judged(ruled.stance, ruled.evidence);
    }
    if stance == Stance::Same && ruled.forbids_merge() {
        return judged(Stance::Unrelated, ruled.evidence);
    }
    judged(stance, Evidence::Judged)
}

/// True if the rules found a difference that they read better than any judge: another number, or a negation
/// in only one of the texts.
fn rules_outrank_judge(ruled: &Judgement, negations: impl Fn() -> [usize; 2]) -> bool {
    is_opposed_by(ruled, "number")
        || is_plain_negation(ruled, &negations) && {
            let [a, b] = negations();
            a != b
        }
}

/// True if one claim is the negation of the other. The speaker and the place of a claim mislead a judge of
/// whole texts.
fn is_plain_negation(ruled: &Judgement, negations: impl Fn() -> [usize; 2]) -> bool {
    is_opposed_by(ruled, "negation") && negations().iter().sum::<usize>() > 0
}

fn is_opposed_by(ruled: &Judgement, difference: &str) -> bool {
    matches!(&ruled.evidence, Evidence::Opposed { by, .. } if by == difference)
}

/// Returns the judgement on a pair that the judge left unanswered: *same* from the cosine `from` on if the
/// rules find no differing fact, and a contradiction where the rules find one.
///
/// On adversarial pairs a third of all contradictions lie above a cosine of 0.93, so a high cosine alone is
/// not enough to merge.
pub fn fallback_verdict(a: &str, b: &str, cosine: f64, from: f64, pack: &dyn LanguagePack) -> Judgement {
    fallback_ruled(pack.judge(a, b, cosine), cosine, from)
}

/// Returns the judgement of [`fallback_verdict`], given that of the rules.
pub(crate) fn fallback_ruled(ruled: Judgement, cosine: f64, from: f64) -> Judgement {
    if ruled.evidence == Evidence::EqualWords || ruled.forbids_merge() {
        return ruled;
    }
    let stance = if cosine >= from { Stance::Same } else { Stance::Unrelated };
    Judgement::new(stance, Evidence::Fallback(from))
}

#[cfg(test)]
mod tests {
    use nightfold_english::English;

    use super::*;

    const CONFLICTING_PAIRS: [(&str, &str); 5] = [
        ("Joss owes Tom 14 silver", "Joss owes Tom 15 silver"),
        ("Joss owes Tom silver", "Wren owes Tom silver"),
        ("Joss owes Tom silver", "Tom owes Joss silver"),
        ("The east gate is open", "The east gate is not open"),
        ("the", "and the"),
    ];

    #[test]
    fn no_verdict_merges_two_texts_that_differ_in_a_fact() {
        let same = Verdict::certain(Stance::Same);
        for (a, b) in CONFLICTING_PAIRS {
            for (a, b) in [(a, b), (b, a)] {
                let judged = accept_verdict(same, a, b, 0.999, &JudgeConfig::default(), &English);
                assert_ne!(judged.stance, Stance::Same, "{a} / {b}");
                assert_ne!(fallback_verdict(a, b, 0.999, 0.0, &English).stance, Stance::Same, "{a} / {b}");
            }
        }
    }

    #[test]
    fn verdict_other_than_same_is_accepted() {
        let (a, b) = ("I swept the common room", "I swept the common room again");
        for stance in [Stance::Unrelated, Stance::Contradiction] {
            let verdict = Verdict::certain(stance);
            let judged = accept_verdict(verdict, a, b, 0.99, &JudgeConfig::default(), &English);
            assert_eq!(judged, Judgement { stance, evidence: Evidence::Judged, verdict: Some(verdict) });
        }
    }

    #[test]
    fn contradiction_found_by_the_rules_too_needs_half_the_probability() {
        let (a, b) = ("The east gate is open", "The east gate is not open");
        let judge = JudgeConfig::default();
        let of = |contradiction| {
            accept_verdict(Verdict { same: 0.0, contradiction }, a, b, 0.95, &judge, &English).stance
        };
        assert_eq!(of(judge.contradiction_from * 0.51), Stance::Contradiction);
        assert_eq!(
            of(judge.contradiction_from * 0.49),
            Stance::Contradiction,
            "a plain denial needs no judge"
        );
        let (young, old) = ("The elder brother rules the town.", "The younger brother rules the town.");
        let of_opposites = |contradiction| {
            accept_verdict(Verdict { same: 0.0, contradiction }, young, old, 0.95, &judge, &English).stance
        };
        assert_eq!(of_opposites(judge.contradiction_from * 0.49), Stance::Unrelated);
    }

    #[test]
    fn judgement_reports_probabilities_and_thresholds() {
        let judge = JudgeConfig::default();
        let told = |same, contradiction, a, b| {
            let judged = accept_verdict(Verdict { same, contradiction }, a, b, 0.95, &judge, &English);
            let values = judged.values(&judge).into_iter();
            let values = values.map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>();
            (judged.stance, values.join(", "))
        };
        let (open, shut) = ("The east gate is open", "The east gate is shut");
        let (_, told_apart) = told(0.1, 0.97, open, shut);
        assert_eq!(told_apart, "judged_by model, contradiction_from 0.96, same 0.10, contradiction 0.97");
        // The rules find the contradiction too: half of the probability is enough.
        let (stance, agreeing) = told(0.1, 0.5, open, "The east gate is not open");
        assert_eq!(stance, Stance::Contradiction);
        assert_eq!(agreeing, "judged_by negation, contradiction_from 0.48, same 0.10, contradiction 0.50");
        // A rejected verdict is reported beside the rule that rejected it.
        let (stance, rejected) = told(0.9, 0.0, "Joss owes Tom silver", "Tom owes Joss silver");
        assert_eq!(stance, Stance::Unrelated);
        assert_eq!(rejected, "judged_by role, same 0.90, contradiction 0.00");
        let (_, neither) = told(0.2, 0.1, open, shut);
        assert_eq!(
            neither,
            "judged_by model, same_from 0.50, contradiction_from 0.96, same 0.20, contradiction 0.10"
        );
    }

    #[test]
    fn fallback_merges_by_cosine_and_still_detects_negation() {
        let (a, b) = ("The miller repaired the wheel", "The miller mended the wheel");
        let of = |cosine| fallback_verdict(a, b, cosine, 0.93, &English);
        assert_eq!(of(0.93), Judgement::new(Stance::Same, Evidence::Fallback(0.93)));
        assert_eq!(of(0.929).stance, Stance::Unrelated);
        assert_eq!(fallback_verdict(a, a, 0.2, 0.93, &English).evidence, Evidence::EqualWords);
        let denied = fallback_verdict("The gate is open", "The gate is not open", 0.99, 0.93, &English);
        assert_eq!(denied.stance, Stance::Contradiction);
    }
}
