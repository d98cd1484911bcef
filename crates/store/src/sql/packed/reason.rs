//! Reasons of log lines in few bytes. A night logs a reason for each memory, and as JSON they took a tenth of a store.
//!
//! A reason is its rule, the count of its values, and each value's name and number or name.

use std::collections::BTreeMap;

use nightfold_memory::{Reason, Rule, Value};
use serde::{
    Deserialize,
    de::{IntoDeserializer, value},
};

use super::{PackedError, Unpacked, write_number, write_word};

/// First byte of a reason, to tell this form from a later one.
const FORM: u8 = 1;

/// Kinds of values: the two lowest bits of the number that a value begins with.
mod kind {
    pub(super) const COUNT: u64 = 0;
    /// A score in ten-thousandths.
    pub(super) const SCORE: u64 = 1;
    pub(super) const NAME: u64 = 2;
    /// A number that the other kinds do not hold: its eight bytes follow.
    pub(super) const REAL: u64 = 3;
}

/// Returns the bytes of a reason.
pub(crate) fn to_bytes(reason: &Reason) -> Vec<u8> {
    let mut bytes = vec![FORM];
    write_word(&mut bytes, reason.rule.as_str());
    write_number(&mut bytes, reason.values.len() as u64);
    for (name, value) in &reason.values {
        write_word(&mut bytes, name);
        match value {
            Value::Count(count) if *count < 1 << 62 => write_number(&mut bytes, count << 2 | kind::COUNT),
            Value::Count(count) => {
                write_number(&mut bytes, 1 << 2 | kind::REAL);
                bytes.extend(count.to_le_bytes());
            }
            Value::Score(score) => {
                if let Some(steps) = in_steps(*score) {
                    write_number(&mut bytes, steps << 2 | kind::SCORE);
                } else {
                    write_number(&mut bytes, kind::REAL);
                    bytes.extend(score.to_le_bytes());
                }
            }
            Value::Name(name) => {
                write_number(&mut bytes, kind::NAME);
                write_word(&mut bytes, name);
            }
        }
    }
    bytes
}

/// Reads the bytes that [`to_bytes`] wrote.
pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Reason, PackedError> {
    let mut rest = Unpacked::of(bytes, FORM)?;
    let rule: value::StrDeserializer<'_, value::Error> = rest.word()?.into_deserializer();
    let rule = Rule::deserialize(rule).map_err(PackedError::value)?;
    let mut values = BTreeMap::new();
    for _ in 0..rest.number()? {
        let name = rest.word()?.to_owned();
        let number = rest.number()?;
        let value = match (number & 3, number >> 2) {
            (kind::COUNT, count) => Value::Count(count),
            (kind::SCORE, steps) => Value::Score(of_steps(steps)),
            (kind::NAME, _) => Value::Name(rest.word()?.to_owned()),
            (_, 0) => Value::Score(f64::from_le_bytes(rest.eight()?)),
            (_, _) => Value::Count(u64::from_le_bytes(rest.eight()?)),
        };
        values.insert(name, value);
    }
    rest.end(Reason { rule, values })
}

/// Returns a score in ten-thousandths, a negative one as the odd number before: the numbers stay small. `None` for what that
/// would change.
fn in_steps(score: f64) -> Option<u64> {
    let steps = (score * 1e4).round();
    // Beyond 2⁵⁰ ten-thousandths not every number has its own. A negative zero is not a score.
    let exact = steps.abs() < 1_125_899_906_842_624.0 && (steps / 1e4).to_bits() == score.to_bits();
    let steps = exact.then_some(steps as i64)?;
    Some(if steps < 0 { (steps.unsigned_abs() << 1) - 1 } else { steps.unsigned_abs() << 1 })
}

fn of_steps(steps: u64) -> f64 {
    match steps & 1 {
        1 => -(((steps >> 1) + 1) as f64) / 1e4,
        _ => (steps >> 1) as f64 / 1e4,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sql::words::WORDS;

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<u64>().prop_map(Value::Count),
            (-1e7_f64..1e7).prop_map(Value::from),
            any::<f64>().prop_filter("a score is finite", |x| x.is_finite()).prop_map(Value::Score),
            prop_oneof!["\\PC{0,20}", Just("exact".to_owned())].prop_map(Value::Name),
        ]
    }

    fn name() -> impl Strategy<Value = String> {
        prop_oneof![prop::sample::select(WORDS).prop_map(str::to_owned), "[a-z_]{1,12}"]
    }

    proptest! {
        #[test]
        fn reasons_are_read_as_they_were_written(values in prop::collection::btree_map(name(), value(), 0..8)) {
            let reason = Reason { rule: Rule::OverBudget, values };
            prop_assert_eq!(from_bytes(&to_bytes(&reason)).unwrap(), reason);
        }

        #[test]
        fn damaged_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(reason) = from_bytes(&bytes) {
                prop_assert_eq!(from_bytes(&to_bytes(&reason)).unwrap().rule, reason.rule);
            }
        }
    }

    #[test]
    fn usual_reason_takes_two_bytes_for_a_value_and_its_name() {
        let reason = Reason::new(Rule::OverBudget)
            .with("budget", 3_usize)
            .with("keep_score", 3.056)
            .with("lowest_kept", 3.1101)
            .with("salience", 3.056)
            .with("salience_rated", 3.0)
            .with("salience_surprise", 0.056);
        assert_eq!(to_bytes(&reason).len(), 3 + 2 + 4 * 4 + 3);
    }

    #[test]
    fn every_rule_is_one_byte() {
        for rule in [Rule::ExactRepeat, Rule::OverMost, Rule::Faded, Rule::Distilled, Rule::Restored] {
            assert_eq!(to_bytes(&Reason::new(rule)).len(), 3, "{rule}");
        }
    }

    #[test]
    fn cut_or_longer_bytes_and_later_forms_are_refused() {
        let bytes = to_bytes(&Reason::new(Rule::Capped).with("subject", "the mill").with("most", 3_usize));
        for length in 0..bytes.len() {
            assert!(from_bytes(&bytes[..length]).is_err(), "{length}");
        }
        assert!(matches!(from_bytes(&[&bytes[..], &[0]].concat()), Err(PackedError::Length)));
        assert!(matches!(from_bytes(&[2]), Err(PackedError::Form { found: 2, .. })));
        assert!(matches!(from_bytes(&[FORM, 255, 1, 0]), Err(PackedError::Word)));
    }
}
