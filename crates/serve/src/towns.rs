//! The open towns of a server.

use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use axum::http::StatusCode;
use nightfold_ecs::memory::config::EmbedEngine;
use nightfold_town::{EmbedderChoice, StorePlace, Town, TownModels, TownOptions};

use crate::{ServeOptions, answer::RequestRefused, session::TownSession};

/// Open towns by id, and the models that they share.
pub(crate) struct Towns {
    options: ServeOptions,
    open: Mutex<Open>,
    /// Models by engine, opened by the first town that needs them.
    models: Mutex<BTreeMap<&'static str, TownModels>>,
}

#[derive(Default)]
struct Open {
    last: u64,
    sessions: BTreeMap<String, (Option<PathBuf>, Arc<TownSession>)>,
    /// Files of the stores of towns that are being opened or closed; `None` for one without a file.
    reserved: Vec<Option<PathBuf>>,
}

/// Place of a town that is being opened or closed.
struct ReservedPlace<'a> {
    towns: &'a Towns,
    file: Option<PathBuf>,
}

impl Drop for ReservedPlace<'_> {
    fn drop(&mut self) {
        let mut open = self.towns.lock();
        if let Some(index) = open.reserved.iter().position(|file| *file == self.file) {
            open.reserved.swap_remove(index);
        }
    }
}

/// True if a file is a link, or is the file of another name, too.
fn has_other_names(file: &Path) -> bool {
    let Ok(found) = std::fs::symlink_metadata(file) else { return false };
    #[cfg(unix)]
    let has_hard_links = std::os::unix::fs::MetadataExt::nlink(&found) > 1;
    #[cfg(not(unix))]
    let has_hard_links = false;
    found.is_symlink() || found.is_file() && has_hard_links
}

impl Towns {
    pub(crate) fn new(options: ServeOptions) -> Self {
        Self { options, open: Mutex::default(), models: Mutex::default() }
    }

    pub(crate) fn get(&self, id: &str) -> Result<Arc<TownSession>, RequestRefused> {
        let open = self.lock();
        open.sessions
            .get(id)
            .map(|(_, session)| Arc::clone(session))
            .ok_or_else(|| RequestRefused::no_town(id))
    }

    pub(crate) fn all(&self) -> Vec<(String, Arc<TownSession>)> {
        let open = self.lock();
        open.sessions.iter().map(|(id, (_, session))| (id.clone(), Arc::clone(session))).collect()
    }

    /// Closes a town, after the commands that it carries out now; its nights that are being written are written. Its store can be
    /// opened again when this returns.
    pub(crate) fn close(&self, id: &str) -> Result<(), RequestRefused> {
        let (reserved, session) = {
            let mut open = self.lock();
            let (file, session) = open.sessions.remove(id).ok_or_else(|| RequestRefused::no_town(id))?;
            open.reserved.push(file.clone());
            (ReservedPlace { towns: self, file }, session)
        };
        while Arc::strong_count(&session) > 1 {
            thread::sleep(Duration::from_millis(2));
        }
        drop(session);
        drop(reserved);
        Ok(())
    }

    pub(crate) fn close_all(&self) {
        let sessions = std::mem::take(&mut self.lock().sessions);
        drop(sessions);
    }

    /// Opens a town and returns its id. Blocks while its models open.
    pub(crate) fn open(&self, mut options: TownOptions) -> Result<String, RequestRefused> {
        let file = self.place(&mut options)?;
        let reserved = self.reserve(file.clone())?;
        let session = self.build(options)?;
        let mut open = self.lock();
        open.last += 1;
        let id = format!("town-{}", open.last);
        open.sessions.insert(id.clone(), (file, Arc::new(session)));
        drop(open);
        drop(reserved);
        Ok(id)
    }

    /// Reserves a place for a town, and its file.
    fn reserve(&self, file: Option<PathBuf>) -> Result<ReservedPlace<'_>, RequestRefused> {
        let mut open = self.lock();
        let most = self.options.towns;
        if open.sessions.len() + open.reserved.len() >= most {
            let message = format!("{most} towns are open (--towns); close one first");
            return Err(RequestRefused::new(StatusCode::TOO_MANY_REQUESTS, "towns", message));
        }
        // File systems that know no case have one file for both.
        let name = |file: &Option<PathBuf>| file.as_ref().map(|file| file.to_string_lossy().to_lowercase());
        let mut others = open.sessions.values().map(|(file, _)| file).chain(&open.reserved);
        if file.is_some() && others.any(|other| name(other) == name(&file)) {
            let message = "another town has this store open; a store belongs to one town";
            return Err(RequestRefused::new(StatusCode::CONFLICT, "store_open", message));
        }
        open.reserved.push(file.clone());
        Ok(ReservedPlace { towns: self, file })
    }

    fn build(&self, options: TownOptions) -> Result<TownSession, RequestRefused> {
        let max_events = options.max_events;
        let town = match options.embedder {
            EmbedderChoice::Minilm => {
                let models = self.models(&options)?;
                Town::with_models(options, &models)
            }
            EmbedderChoice::Host(_) => Town::open(options),
        };
        Ok(TownSession::new(town.map_err(|error| RequestRefused::from(&error))?, max_events))
    }

    fn models(&self, options: &TownOptions) -> Result<TownModels, RequestRefused> {
        let engine = match options.config.embed.engine {
            EmbedEngine::Exact => "exact",
            EmbedEngine::Bf16 => "bf16",
            EmbedEngine::Auto => "auto",
        };
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = models.get(engine) {
            return Ok(opened.clone());
        }
        let shared = TownOptions {
            models: self.options.models.clone(),
            config: options.config.clone(),
            threads: self.options.threads,
            ..TownOptions::default()
        };
        let opened = TownModels::open(&shared).map_err(|error| RequestRefused::from(&error))?;
        models.insert(engine, opened.clone());
        Ok(opened)
    }

    /// Puts the store of a town into the server's folder, and refuses what is the server's to choose. Returns the file.
    fn place(&self, options: &mut TownOptions) -> Result<Option<PathBuf>, RequestRefused> {
        let refused =
            |message: &str| Err(RequestRefused::new(StatusCode::UNPROCESSABLE_ENTITY, "options", message));
        if options.models.is_some() {
            return refused("models is the server's to choose (--models): leave it out");
        }
        // Nobody steps a town over HTTP.
        if !(1..=self.options.threads).contains(&options.threads) {
            let (given, most) = (options.threads, self.options.threads);
            let message = format!("threads is {given}; this server allows 1 to {most}");
            return refused(&message);
        }
        let StorePlace::File(name) = &options.store else { return Ok(None) };
        let Some(folder) = &self.options.stores else {
            return refused("this server keeps no stores (--stores FOLDER): leave store out");
        };
        let mut parts = name.components();
        // "town.db/" has one part, too, and is no name.
        let part = parts
            .next()
            .filter(|part| matches!(part, Component::Normal(name_of) if *name_of == name.as_os_str()));
        let is_name = part.is_some()
            && parts.next().is_none()
            && !name.to_string_lossy().starts_with(['.', '-'])
            && Path::new(name).extension().is_some_and(|extension| extension == "db");
        if !is_name {
            return refused(
                "store.file is the name of a file in the server's folder, such as \"town.db\": no path, and ending in .db",
            );
        }
        let file = folder.join(name);
        if has_other_names(&file) {
            return refused(
                "store.file is a link, or has another name; a store that two names lead to would be two towns'",
            );
        }
        options.store = StorePlace::File(file.clone());
        Ok(Some(file))
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
