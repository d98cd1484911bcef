//! Loghub: log lines of real systems, each with its template.

use std::path::Path;

use serde::Deserialize;

use super::{DataError, LabelledText, file::TextFile};

/// Systems of the collection, in the order of its paper. Missing ones are skipped.
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

/// Log of one system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledLog {
    /// Name of the system.
    pub system: &'static str,
    /// Lines, each labelled with its template.
    pub lines: Vec<LabelledText>,
}

#[derive(Deserialize)]
struct LogRow {
    #[serde(rename = "Content")]
    content: String,
    #[serde(rename = "EventTemplate")]
    template: String,
}

/// Loghub (Zhu et al. 2023), 2,000 lines of each system with hand-labelled templates.
///
/// Reads every `SYSTEM_2k.log_structured.csv` in `dir`: tables with `Content` and
/// `EventTemplate` among their columns.
///
/// # Errors
/// [`DataError`] if there is none, or if one is no such table, or without a row.
pub fn loghub(dir: &Path) -> Result<Vec<LabelledLog>, DataError> {
    let mut logs = Vec::new();
    for system in SYSTEMS {
        match log(dir, system) {
            Ok(log) => logs.push(log),
            Err(DataError::Missing { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    if logs.is_empty() {
        return Err(DataError::Missing { dir: dir.to_owned(), file: name(SYSTEMS[0]) });
    }
    Ok(logs)
}

fn name(system: &str) -> String {
    format!("{system}_2k.log_structured.csv")
}

fn log(dir: &Path, system: &'static str) -> Result<LabelledLog, DataError> {
    let file = TextFile::read(dir, &name(system))?;
    let rows: Vec<LogRow> = file.table("Content,EventTemplate")?;
    let text = |LogRow { content, template }| LabelledText { text: content, label: template };
    let lines: Vec<LabelledText> = rows.into_iter().map(text).collect();
    if lines.is_empty() { Err(DataError::empty(file.path)) } else { Ok(LabelledLog { system, lines }) }
}

#[cfg(test)]
mod tests {
    use super::{super::fixture::folder, *};

    #[test]
    fn existing_systems_are_read() {
        let table = "LineId,Content,EventId,EventTemplate\n1,\"child 7, idle\",E1,\"child <*>, idle\"\n";
        let dir = folder(&[("Apache_2k.log_structured.csv", table)]);
        let logs = loghub(dir.path()).unwrap();
        assert_eq!((logs.len(), logs[0].system), (1, "Apache"));
        assert_eq!(
            (logs[0].lines[0].text.as_str(), logs[0].lines[0].label.as_str()),
            ("child 7, idle", "child <*>, idle")
        );
    }

    #[test]
    fn folder_without_logs_and_table_without_columns_are_errors() {
        let error = loghub(folder(&[]).path()).unwrap_err().to_string();
        assert!(error.contains("HDFS_2k.log_structured.csv"), "{error}");
        let error = loghub(folder(&[("Apache_2k.log_structured.csv", "a,b\n1,2\n")]).path()).unwrap_err();
        assert!(matches!(error, DataError::Line { line: 2, .. }), "{error:?}");
    }
}
