//! CLINC150: queries to an assistant.

use std::{collections::BTreeMap, path::Path};

use serde::Deserialize;

use super::{DataError, LabelledText, LabelledTexts, file::TextFile};

const QUERIES: &str = "clustering/clinc150/data_full.json";
const DOMAINS: &str = "clustering/clinc150/domains.json";

/// Part of the file that is used; the other parts are for training.
#[derive(Deserialize)]
struct Parts {
    test: Vec<(String, String)>,
}

/// CLINC150 (Larson et al. 2019), the test part: 4,500 queries to an assistant, of 150 intents.
///
/// Reads `clustering/clinc150/data_full.json` in `dir`: under `test` a list of `[text, intent]`. Queries out
/// of scope are stored under another name and are left out.
///
/// # Errors
/// [`DataError`] if the file is missing, too large, of another shape, or without a query.
pub fn clinc150(dir: &Path) -> Result<LabelledTexts, DataError> {
    let file = TextFile::read(dir, QUERIES)?;
    let parts: Parts = file.json()?;
    let items = parts.test.into_iter().map(|(text, label)| LabelledText { text, label }).collect();
    LabelledTexts::of("clinc150", items, file)
}

/// Queries of [`clinc150`], labelled by the 10 domains of their intents.
///
/// Also reads `clustering/clinc150/domains.json`: a list of intents under the name of each domain.
///
/// # Errors
/// As [`clinc150`], for either file; also [`DataError`] for an intent of no domain or of two.
pub fn clinc150_domains(dir: &Path) -> Result<LabelledTexts, DataError> {
    let mut queries = clinc150(dir)?;
    let file = TextFile::read(dir, DOMAINS)?;
    let domains = domain_of_intent(&file)?;
    for item in &mut queries.items {
        let Some(domain) = domains.get(&item.label) else {
            return Err(DataError::NoDomain { path: file.path, intent: item.label.clone() });
        };
        item.label.clone_from(domain);
    }
    Ok(LabelledTexts { name: "clinc150-domains", ..queries })
}

fn domain_of_intent(file: &TextFile) -> Result<BTreeMap<String, String>, DataError> {
    let mut domains = BTreeMap::new();
    for (second, intents) in file.json::<BTreeMap<String, Vec<String>>>()? {
        for intent in intents {
            if let Some(first) = domains.insert(intent.clone(), second.clone()) {
                return Err(DataError::TwoDomains { path: file.path.clone(), intent, first, second });
            }
        }
    }
    Ok(domains)
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::folder, *};

    const QUERIES_OF_TWO: &str = r#"{"oos_test":[["hm","oos"]],
        "test":[["how do you say fly","translate"],["what do i owe","balance"]]}"#;

    fn by_domain(domains: &str) -> Result<LabelledTexts, DataError> {
        clinc150_domains(folder(&[(QUERIES, QUERIES_OF_TWO), (DOMAINS, domains)]).path())
    }

    #[test]
    fn test_part_is_read_by_intent_and_by_domain() {
        let intents = clinc150(folder(&[(QUERIES, QUERIES_OF_TWO)]).path()).unwrap();
        assert_eq!(intents.texts().collect::<Vec<_>>(), ["how do you say fly", "what do i owe"]);
        assert_eq!(intents.labels().collect::<Vec<_>>(), ["translate", "balance"]);

        let domains = by_domain(r#"{"banking":["balance","pin"],"travel":["translate"]}"#).unwrap();
        assert!(domains.texts().eq(intents.texts()));
        assert_eq!(domains.labels().collect::<Vec<_>>(), ["travel", "banking"]);
        assert_ne!(domains.name, intents.name);
    }

    #[test]
    fn intent_of_no_domain_or_of_two_is_an_error() {
        let error = by_domain(r#"{"banking":["balance"]}"#).unwrap_err().to_string();
        assert!(error.ends_with(r#"domains.json puts the intent "translate" into no domain"#), "{error}");
        let error = by_domain(r#"{"a":["balance","translate"],"b":["balance"]}"#).unwrap_err().to_string();
        assert!(error.ends_with(r#"puts the intent "balance" into "a" and into "b""#), "{error}");
    }

    #[test]
    fn wrong_json_shape_is_reported_with_its_place() {
        let of = |queries| clinc150(folder(&[(QUERIES, queries)]).path()).unwrap_err();
        let DataError::Json { line, source, .. } = of("{\"test\":[[\"a\",\"b\"],\n[\"c\",7]]}") else {
            panic!()
        };
        assert_eq!((line, source.field.as_deref()), (2, Some("test[1][1]")));
        assert!(matches!(of("{}"), DataError::Json { .. }));
        assert!(matches!(of(r#"{"test":[]}"#), DataError::Empty { .. }));
    }

    #[test]
    fn missing_file_is_named() {
        let error = clinc150(folder(&[]).path()).unwrap_err().to_string();
        assert!(error.contains(QUERIES), "{error}");
        let error = clinc150_domains(folder(&[(QUERIES, QUERIES_OF_TWO)]).path()).unwrap_err().to_string();
        assert!(error.contains(DOMAINS), "{error}");
    }
}
