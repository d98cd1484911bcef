//! Requirements on every store: each case runs on each of them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

/// Makes a test of each case for each store.
macro_rules! conformance {
    ($($case:ident),+ $(,)?) => {
        mod in_memory {
            $(#[test] fn $case() { super::$case(&nightfold_store::InMemoryStore::new()); })+
        }
        mod sqlite {
            $(#[test] fn $case() {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("minds.db");
                super::$case(&nightfold_store::SqliteStore::open(path).unwrap());
            })+
        }
    };
}

#[path = "conformance/abstracting.rs"]
mod abstracting;
#[path = "conformance/applying.rs"]
mod applying;
#[path = "conformance/collapsing.rs"]
mod collapsing;
#[path = "conformance/contesting.rs"]
mod contesting;
#[path = "conformance/letting_go.rs"]
mod letting_go;
#[path = "conformance/purging.rs"]
mod purging;
#[path = "conformance/restoring.rs"]
mod restoring;
#[path = "conformance/taking_back.rs"]
mod taking_back;
#[path = "conformance/themes.rs"]
mod themes;
/// Helpers of the maintenance cases.
#[path = "conformance/upkeep.rs"]
mod upkeep;
