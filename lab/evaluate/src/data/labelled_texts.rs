//! Single texts with a label each: BANKING77, CLINC150, tweets, and log lines of real systems.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Result, ensure};
use rand_xoshiro::{Xoshiro256Plus, rand_core::RngCore as _};
use serde::Deserialize;

use super::TextFile;

/// Text with a label given by people.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct LabelledText {
    /// Text as it was written.
    #[serde(alias = "Content")]
    pub(crate) text: String,
    /// Label of the text.
    #[serde(alias = "category", alias = "EventTemplate")]
    pub(crate) label: String,
}

/// Data set of single texts, in the order of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LabelledTexts {
    /// Name of the data set in reports.
    pub(crate) name: &'static str,
    /// Texts with their labels.
    pub(crate) items: Vec<LabelledText>,
}

/// Sets of queries and tweets in a folder:
///
/// - BANKING77 (Casanueva et al. 2020), the test part: 3,080 questions to a bank, of 77 intents. A table of `text,category`.
/// - CLINC150 (Larson et al. 2019), the test part: 4,500 queries to an assistant, of 150 intents, as `[text, intent]` under
///   `test`. Queries out of scope have another name and are left out.
/// - Tweets on which GSDMM was evaluated (Yin and Wang 2014): 2,472 tweets on 89 topics, without stop words. The label is the
///   topic's number.
///
/// # Errors
/// A file is missing or of another shape.
pub(crate) fn topics(dir: &Path) -> Result<[LabelledTexts; 3]> {
    #[derive(Deserialize)]
    struct Parts {
        test: Vec<(String, String)>,
    }
    #[derive(Deserialize)]
    struct Tweet {
        text: String,
        cluster: i64,
    }
    let dir = dir.join("clustering");
    let banking77 = TextFile::read(&dir.join("banking77/banking_data_test.csv"))?.table()?;
    let clinc150 = TextFile::read(&dir.join("clinc150/data_full.json"))?.json::<Parts>()?.test;
    let clinc150 = clinc150.into_iter().map(|(text, label)| LabelledText { text, label }).collect();
    let tweets = TextFile::read(&dir.join("gsdmm/Tweet"))?.some_lines::<Tweet>()?;
    let tweet = |Tweet { text, cluster }| LabelledText { text, label: cluster.to_string() };
    let tweets = tweets.into_iter().map(tweet).collect();
    let set = |(name, items)| LabelledTexts { name, items };
    Ok([("banking77", banking77), ("clinc150", clinc150), ("tweets", tweets)].map(set))
}

/// Days of CLINC150's test part with a domain for each text: every day has two to five texts of each of one or two intents in
/// three to seven domains, and six texts of any. Texts are drawn by lot; a text is in a day once.
///
/// # Errors
/// A file is missing or of another shape.
pub(crate) fn drawn_days(dir: &Path, days: usize, lot: &mut Xoshiro256Plus) -> Result<Vec<LabelledTexts>> {
    let [_, clinc150, _] = topics(dir)?;
    let domains: BTreeMap<String, Vec<String>> =
        TextFile::read(&dir.join("clustering/clinc150/domains.json"))?.json()?;
    let domains: Vec<(&str, Vec<Vec<&LabelledText>>)> = domains
        .iter()
        .map(|(domain, intents)| {
            let of = |intent: &String| clinc150.items.iter().filter(|item| item.label == *intent).collect();
            (domain.as_str(), intents.iter().map(of).collect())
        })
        .collect();
    let mut below = |n: usize| (lot.next_u64() % n as u64) as usize;
    let mut drawn = Vec::new();
    for _ in 0..days {
        // By text, so that each is in the day once.
        let mut day: BTreeMap<&str, &str> = BTreeMap::new();
        let mut draw = |domain: usize, intent: Option<usize>, below: &mut dyn FnMut(usize) -> usize| {
            let (name, intents) = &domains[domain];
            let texts = &intents[intent.unwrap_or_else(|| below(intents.len()))];
            day.insert(&texts[below(texts.len())].text, name);
        };
        let mut order: Vec<usize> = (0..domains.len()).collect();
        (0..order.len()).for_each(|at| order.swap(at, below(domains.len())));
        for &domain in &order[..3 + below(5)] {
            for _ in 0..=below(2) {
                let intent = below(domains[domain].1.len());
                (0..2 + below(4)).for_each(|_| draw(domain, Some(intent), &mut below));
            }
        }
        (0..6).for_each(|_| draw(below(domains.len()), None, &mut below));
        let text =
            |(text, domain): (&str, &str)| LabelledText { text: text.to_owned(), label: domain.to_owned() };
        drawn.push(LabelledTexts { name: "clinc150, drawn", items: day.into_iter().map(text).collect() });
    }
    Ok(drawn)
}

/// Systems of loghub, in the order of its paper.
const SYSTEMS: [&str; 16] = [
    "HDFS",
    "Hadoop",
    "Spark",
    "Zookeeper",
    "BGL",
    "HPC",
    "Thunderbird",
    "Windows",
    "Linux",
    "Android",
    "HealthApp",
    "Apache",
    "Proxifier",
    "OpenSSH",
    "OpenStack",
    "Mac",
];

/// Loghub (Zhu et al. 2023), 2,000 lines of each system with hand-labelled templates.
///
/// Reads every `SYSTEM_2k.log_structured.csv` in `dir`: tables with `Content` and `EventTemplate` among their columns.
///
/// # Errors
/// There is none, or one is no such table.
pub(crate) fn loghub(dir: &Path) -> Result<Vec<LabelledTexts>> {
    let mut logs = Vec::new();
    for name in SYSTEMS {
        if let Some(file) = TextFile::find(&dir.join(format!("{name}_2k.log_structured.csv")))? {
            logs.push(LabelledTexts { name, items: file.table()? });
        }
    }
    ensure!(!logs.is_empty(), "there is no HDFS_2k.log_structured.csv in {}", dir.display());
    Ok(logs)
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::folder, *};

    fn told(set: &LabelledTexts) -> String {
        set.items.iter().map(|item| format!("{}: {}: {}", set.name, item.label, item.text)).collect()
    }

    #[test]
    fn each_set_is_read_as_its_makers_publish_it() {
        let dir = folder(&[
            ("clustering/banking77/banking_data_test.csv", "text,category\n\"Oh, \"\"it\"\"\",lost\n"),
            ("clustering/clinc150/data_full.json", r#"{"oos_test":[["hm","oos"]],"test":[["fly","go"]]}"#),
            ("clustering/gsdmm/Tweet", "{\"text\": \"gala london\", \"cluster\": 65}\n"),
        ]);
        let sets = topics(dir.path()).unwrap();
        assert_eq!(
            sets.each_ref().map(told),
            ["banking77: lost: Oh, \"it\"", "clinc150: go: fly", "tweets: 65: gala london"]
        );
    }

    #[test]
    fn existing_logs_are_read() {
        let table = "LineId,Content,EventId,EventTemplate\n1,\"child 7, idle\",E1,\"child <*>, idle\"\n";
        let logs = loghub(folder(&[("Apache_2k.log_structured.csv", table)]).path()).unwrap();
        assert_eq!(logs.iter().map(told).collect::<String>(), "Apache: child <*>, idle: child 7, idle");
        for (files, said) in [
            (&[][..], "HDFS_2k.log_structured.csv"),
            (&[("Apache_2k.log_structured.csv", "a,b\n1,2\n")], "line: 2"),
        ] {
            let error = format!("{:#}", loghub(folder(files).path()).unwrap_err());
            assert!(error.contains(said), "{error}");
        }
    }
}
