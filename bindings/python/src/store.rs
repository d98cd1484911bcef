//! Long-term memory.

use std::{fs, io::Write as _, path::PathBuf, sync::Arc};

use nightfold::{
    Recall, RecallError, RecallPorts, RecallScope, apply_plan,
    english::Packs,
    memory::{
        LogFilter, MemoryId, MemoryRecord, NpcId, RecordCache, RewindTarget, SavePointName, State,
        StoreError, Undone, ValidConfig,
    },
};
use nightfold_store::{DurableStore, ImportOptions, PostgresStore, SqliteStore};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::{
    config::Config,
    convert,
    errors::{refused, with_code},
    models::Embedder,
    plan::Plan,
    table::{Column, Table},
};

/// Long-term memory of many NPCs: in a SQLite file, at a postgres:// address, or in memory without either.
#[pyclass(frozen, module = "nightfold")]
pub(crate) struct Store {
    pub(crate) inner: Arc<dyn DurableStore>,
    /// The cache of vectors that other machines have too.
    records: Option<Arc<dyn RecordCache>>,
}

impl Store {
    /// Returns the cache of vectors that all who open the store share.
    pub(crate) fn shared_records(&self) -> PyResult<Arc<dyn RecordCache>> {
        let message = "only a store at a postgres:// address keeps vectors for other machines";
        self.records.clone().ok_or_else(|| with_code("options", message.to_owned()))
    }

    /// Reads what a question searches, and returns what `answer` makes of it.
    fn with_recall<T: Send>(
        &self,
        py: Python<'_>,
        npc: &str,
        question: &str,
        (embedder, config): (Option<&Bound<'_, Embedder>>, Option<&Bound<'_, Config>>),
        answer: impl FnOnce(&NpcId, Recall<'_>) -> T + Send,
    ) -> PyResult<T> {
        let npc = npc_of(npc)?;
        let config = config.map_or_else(ValidConfig::default, |config| config.get().inner.clone());
        let models = Embedder::of(py, embedder, &config)?;
        py.detach(|| {
            let ports = RecallPorts { store: &*self.inner, embedder: &**models.embedder(), packs: &Packs };
            let asked = Recall::new(ports, &config, &npc, question, RecallScope::Remembered);
            let asked = asked.map_err(|error| match error {
                RecallError::Store(error) => failed(error),
                RecallError::Embedder(error) => refused("model", &error),
                error => refused("options", &error),
            })?;
            Ok(answer(&npc, asked))
        })
    }
}

/// Columns of `entries`.
const ENTRIES: &[(&str, Column)] = &[
    ("npc", Column::Text),
    ("id", Column::Text),
    ("form", Column::Text),
    ("kind", Column::Text),
    ("text", Column::Text),
    ("at", Column::Integer),
    ("last_at", Column::Integer),
    ("importance", Column::Integer),
    ("actors", Column::Texts),
    ("tags", Column::Texts),
    ("place", Column::Text),
    ("sources", Column::Texts),
    ("active", Column::Flag),
];

pub(crate) fn failed(error: impl std::error::Error) -> PyErr {
    refused("store", &error)
}

pub(crate) fn npc_of(name: &str) -> PyResult<NpcId> {
    NpcId::new(name).map_err(|error| refused("name", &error))
}

fn row(npc: &NpcId, record: &MemoryRecord) -> Value {
    let entry = &record.entry;
    json!({
        "npc": npc.as_str(),
        "id": entry.id.as_str(),
        "form": entry.form,
        "kind": entry.kind,
        "text": entry.text,
        "at": entry.at.seconds(),
        "last_at": entry.last_at.seconds(),
        "importance": entry.importance.get(),
        "actors": entry.actors,
        "tags": entry.tags,
        "place": entry.place,
        "sources": entry.sources,
        "active": matches!(record.state, State::Active),
    })
}

/// True for the address of a store in a database.
fn is_address(path: &str) -> bool {
    path.starts_with("postgres://") || path.starts_with("postgresql://")
}

#[pymethods]
impl Store {
    #[new]
    #[pyo3(signature = (path = None))]
    fn new(py: Python<'_>, path: Option<PathBuf>) -> PyResult<Self> {
        py.detach(|| {
            let inner = match &path {
                None => SqliteStore::in_memory().map_err(failed)?,
                Some(path) => match path.to_str().filter(|path| is_address(path)) {
                    Some(address) => {
                        let store = Arc::new(PostgresStore::open(address).map_err(failed)?);
                        return Ok(Self { inner: store.clone(), records: Some(store) });
                    }
                    None => SqliteStore::open(path).map_err(failed)?,
                },
            };
            Ok(Self { inner: Arc::new(inner), records: None })
        })
    }

    /// Return the names of all NPCs with entries.
    fn npcs(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let npcs = py.detach(|| self.inner.npcs()).map_err(failed)?;
        Ok(npcs.iter().map(|npc| npc.as_str().to_owned()).collect())
    }

    /// Return the nights that are applied, the oldest first.
    #[pyo3(signature = (npc = None))]
    fn nights<'py>(&self, py: Python<'py>, npc: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let npc = npc.map(npc_of).transpose()?;
        let nights = py.detach(|| self.inner.nights(npc.as_ref())).map_err(failed)?;
        convert::as_python(py, &serde_json::to_value(nights).map_err(failed)?)
    }

    /// Return the entries of an NPC or of all, archived ones included.
    #[pyo3(signature = (npc = None))]
    fn entries(&self, py: Python<'_>, npc: Option<&str>) -> PyResult<Table> {
        let npcs = match npc {
            Some(npc) => vec![npc_of(npc)?],
            None => self.inner.npcs().map_err(failed)?,
        };
        py.detach(|| {
            let mut rows = Vec::new();
            for npc in npcs {
                let entries = self.inner.entries(&npc).map_err(failed)?;
                rows.extend(entries.iter().map(|record| row(&npc, record)));
            }
            Ok(Table::new(ENTRIES, rows))
        })
    }

    /// Return the entries that best answer a question, best first.
    #[pyo3(signature = (npc, question, *, embedder = None, config = None))]
    fn recall<'py>(
        &self,
        py: Python<'py>,
        npc: &str,
        question: &str,
        embedder: Option<&Bound<'py, Embedder>>,
        config: Option<&Bound<'py, Config>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = self.with_recall(py, npc, question, (embedder, config), |npc, asked| {
            let answer = |found: nightfold::consolidate::Recalled<'_>| {
                let mut row = row(npc, found.memory);
                row["faint"] = json!(found.faint);
                row["score"] = json!(found.score);
                row["relevance"] = json!(found.relevance);
                row
            };
            asked.found().into_iter().map(answer).collect()
        })?;
        convert::as_python(py, &Value::Array(found))
    }

    /// Return what an NPC has in mind at a question as a text for a prompt, of at most this many tokens.
    #[pyo3(signature = (npc, question, tokens, *, embedder = None, config = None))]
    fn context(
        &self,
        py: Python<'_>,
        npc: &str,
        question: &str,
        tokens: usize,
        embedder: Option<&Bound<'_, Embedder>>,
        config: Option<&Bound<'_, Config>>,
    ) -> PyResult<String> {
        self.with_recall(py, npc, question, (embedder, config), |_, asked| asked.context(tokens))
    }

    /// Return an entry with its log, its sources and what was made from it.
    fn why<'py>(&self, py: Python<'py>, npc: &str, id: &str) -> PyResult<Bound<'py, PyAny>> {
        let npc = npc_of(npc)?;
        let id = MemoryId::new(id).map_err(|error| refused("name", &error))?;
        let unknown = || with_code("unknown_entry", format!("{npc} has no entry {id}"));
        let told = py.detach(|| -> PyResult<Value> {
            let record = self.inner.entry(&npc, &id).map_err(failed)?.ok_or_else(unknown)?;
            Ok(json!({
                "memory": row(&npc, &record),
                "log": self.inner.log(&npc, LogFilter::Entry(&id)).map_err(failed)?,
                "from": self.inner.sources(&npc, &id).map_err(failed)?,
                "into": self.inner.derived(&npc, &id).map_err(failed)?,
            }))
        })?;
        convert::as_python(py, &told)
    }

    /// Take back the latest night of an NPC, or the nights of the latest call that wrote any.
    #[pyo3(signature = (npc = None))]
    fn undo<'py>(&self, py: Python<'py>, npc: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let npc = npc.map(npc_of).transpose()?;
        let undone = py.detach(|| -> Result<Vec<Undone>, StoreError> {
            if let Some(npc) = npc {
                return Ok(self.inner.undo(&npc)?.into_iter().collect());
            }
            let latest = self.inner.nights(None)?.iter().map(|night| night.run).max();
            latest.map_or(Ok(Vec::new()), |run| self.inner.undo_run(run))
        });
        let undone = undone.map_err(failed)?;
        convert::as_python(py, &serde_json::to_value(undone).map_err(failed)?)
    }

    /// Write a plan, one transaction for each night; return the number of nights written.
    fn apply(&self, py: Python<'_>, plan: &Bound<'_, Plan>) -> PyResult<usize> {
        let plan = plan.get();
        let applied = py.detach(|| apply_plan(&*self.inner, plan.inner.night_plan())).map_err(failed)?;
        let Some(failure) = applied.failures.first() else { return Ok(applied.written) };
        let (written, refused) = (applied.written, applied.failures.len());
        let message = format!(
            "{written} nights were written and {refused} refused; the first, of {}: {}",
            failure.npc, failure.error
        );
        let error = with_code("store", message);
        error.value(py).setattr("written", written)?;
        Err(error)
    }

    /// Note the state of all NPCs under a name.
    fn save_point(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let name = SavePointName::new(name).map_err(|error| refused("name", &error))?;
        py.detach(|| self.inner.save_point(&name)).map(drop).map_err(failed)
    }

    /// Bring memory back to a save point, or forward to a later one.
    #[pyo3(signature = (save_point, npc = None))]
    fn rewind<'py>(
        &self,
        py: Python<'py>,
        save_point: &str,
        npc: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let name = SavePointName::new(save_point).map_err(|error| refused("name", &error))?;
        let npc = npc.map(npc_of).transpose()?;
        let rewound = py.detach(|| self.inner.rewind(npc.as_ref(), &RewindTarget::SavePoint(name)));
        let rewound = rewound.map_err(failed)?;
        convert::as_python(py, &serde_json::to_value(rewound).map_err(failed)?)
    }

    /// Return the store as lines of JSON, and write them to a new file if a path is given.
    #[pyo3(signature = (path = None))]
    fn export(&self, py: Python<'_>, path: Option<PathBuf>) -> PyResult<String> {
        let mut lines = Vec::new();
        py.detach(|| self.inner.export(None, &mut lines)).map_err(failed)?;
        if let Some(path) = path {
            fs::File::create_new(path)?.write_all(&lines)?;
        }
        Ok(String::from_utf8_lossy(&lines).into_owned())
    }

    /// Fills an empty store with the lines of an export.
    fn import_lines(&self, py: Python<'_>, lines: &str) -> PyResult<()> {
        py.detach(|| self.inner.import(&mut lines.as_bytes(), &ImportOptions::default()))
            .map(drop)
            .map_err(failed)
    }
}
