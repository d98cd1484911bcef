//! Meaning of a classifier's three outputs, from its `config.json`.

use std::{collections::BTreeMap, path::Path};

use nightfold_memory::JudgeError;
use serde::Deserialize;

use super::NliError;

/// Relation of a hypothesis to a premise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NliLabel {
    Entailment,
    Neutral,
    Contradiction,
}

impl NliLabel {
    const ALL: [Self; 3] = [Self::Entailment, Self::Neutral, Self::Contradiction];

    fn as_str(self) -> &'static str {
        match self {
            Self::Entailment => "entailment",
            Self::Neutral => "neutral",
            Self::Contradiction => "contradiction",
        }
    }
}

/// Labels of the outputs, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NliLabels([NliLabel; 3]);

/// Relevant contents of a `config.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NliConfig {
    pub(super) labels: NliLabels,
    /// Maximum number of tokens that the model has positions for, if stated.
    pub(super) positions: Option<usize>,
}

#[derive(Deserialize)]
struct ConfigJson {
    id2label: BTreeMap<String, String>,
    max_position_embeddings: Option<usize>,
}

/// Number of reserved positions in models of the `RoBERTa` family.
const PLACES_BEFORE: usize = 2;
/// Maximum number of labels in an error.
const SHOWN: usize = 8;
/// Maximum number of characters of a label in an error.
const SHOWN_CHARS: usize = 40;

pub(super) fn read(text: &[u8], path: &Path) -> Result<NliConfig, NliError> {
    let config: ConfigJson =
        serde_json::from_slice(text).map_err(|source| NliError::Config { path: path.to_owned(), source })?;
    let named = |number: usize| {
        let name = config.id2label.get(&number.to_string())?;
        NliLabel::ALL.into_iter().find(|label| name.trim().eq_ignore_ascii_case(label.as_str()))
    };
    let labels = match (config.id2label.len(), [named(0), named(1), named(2)]) {
        (3, [Some(a), Some(b), Some(c)]) if a != b && b != c && a != c => NliLabels([a, b, c]),
        _ => {
            let short = |(id, name): (&String, &String)| {
                let name: String = name.chars().take(SHOWN_CHARS).collect();
                format!("{}: {name}", id.chars().take(SHOWN_CHARS).collect::<String>())
            };
            let given = config.id2label.iter().take(SHOWN).map(short).collect();
            return Err(NliError::Labels { path: path.to_owned(), given });
        }
    };
    let positions = config.max_position_embeddings.map(|places| places.saturating_sub(PLACES_BEFORE).max(1));
    Ok(NliConfig { labels, positions })
}

impl NliLabels {
    /// Returns the label of the largest number; of equal ones the least harmful label: neutral, then
    /// contradiction.
    ///
    /// # Errors
    /// [`JudgeError::Answer`] unless there are three finite numbers.
    pub(super) fn likeliest(self, numbers: &[f32]) -> Result<NliLabel, JudgeError> {
        if numbers.len() != self.0.len() || numbers.iter().any(|number| !number.is_finite()) {
            let given = numbers.iter().take(SHOWN).copied().collect();
            return Err(JudgeError::Answer { given, expected: self.0.len() });
        }
        let harm = |label| match label {
            NliLabel::Neutral => 0,
            NliLabel::Contradiction => 1,
            NliLabel::Entailment => 2,
        };
        let mut ranked: Vec<(f32, NliLabel)> = numbers.iter().copied().zip(self.0).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(harm(a.1).cmp(&harm(b.1))));
        Ok(ranked[0].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<NliConfig, NliError> {
        read(text.as_bytes(), Path::new("config.json"))
    }

    #[test]
    fn labels_may_come_in_any_order_and_case() {
        let config = of(r#"{"id2label":{"0":"CONTRADICTION","1":"entailment","2":"Neutral"},"vocab_size":9,
                            "max_position_embeddings":514}"#)
        .unwrap();
        assert_eq!(
            config.labels,
            NliLabels([NliLabel::Contradiction, NliLabel::Entailment, NliLabel::Neutral])
        );
        assert_eq!(config.positions, Some(512));
        assert_eq!(config.labels.likeliest(&[0.1, 3.0, -2.0]).unwrap(), NliLabel::Entailment);
    }

    #[test]
    fn other_labels_are_shown_with_what_is_allowed() {
        for (labels, shown) in [
            (r#"{"0":"LABEL_0","1":"LABEL_1","2":"LABEL_2"}"#, "0: LABEL_0"),
            (r#"{"0":"entailment","1":"not_entailment"}"#, "1: not_entailment"),
            (r#"{"0":"entailment","1":"neutral","2":"neutral"}"#, "2: neutral"),
            (r#"{"1":"entailment","2":"neutral","3":"contradiction"}"#, "3: contradiction"),
            (r#"{"0":"entailment","1":"neutral","2":"contradiction","3":"other"}"#, "3: other"),
            ("{}", "[]"),
        ] {
            let error = of(&format!("{{\"id2label\":{labels}}}")).unwrap_err();
            assert!(matches!(error, NliError::Labels { .. }), "{error}");
            let told = error.to_string();
            assert!(told.contains(shown) && told.contains("entailment, neutral and contradiction"), "{told}");
        }
        for text in ["", "[]", "{}", r#"{"id2label":["entailment"]}"#, r#"{"id2label":{"0":1}}"#] {
            assert!(matches!(of(text), Err(NliError::Config { .. })), "{text}");
        }
    }

    #[test]
    fn tied_scores_yield_the_least_harmful_label() {
        let labels = NliLabels(NliLabel::ALL);
        assert_eq!(labels.likeliest(&[1.0, 1.0, 1.0]).unwrap(), NliLabel::Neutral);
        assert_eq!(labels.likeliest(&[1.0, 0.0, 1.0]).unwrap(), NliLabel::Contradiction);
    }

    #[test]
    fn non_finite_or_missing_numbers_are_no_answer() {
        let labels = NliLabels(NliLabel::ALL);
        for numbers in [&[1.0, f32::NAN, 0.0][..], &[f32::INFINITY, 0.0, 0.0], &[1.0, 2.0], &[], &[0.0; 4]] {
            let error = labels.likeliest(numbers).unwrap_err();
            assert!(matches!(error, JudgeError::Answer { expected: 3, .. }), "{error}");
        }
    }
}
