//! Requirements on every store: each case runs in SQLite and in PostgreSQL.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

/// Makes a test of each case for each store.
macro_rules! conformance {
    ($($case:ident),+ $(,)?) => {
        mod sqlite {
            $(#[test] fn $case() {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("minds.db");
                super::$case(&nightfold_store::SqliteStore::open(path).unwrap());
            })+
        }
        mod postgres {
            $(#[test] fn $case() {
                let Some(server) = nightfold_store::testing::PostgresServer::shared() else { return };
                super::$case(&nightfold_store::PostgresStore::open(&server.address()).unwrap());
            })+
        }
    };
}

#[path = "conformance/abstracting.rs"]
mod abstracting;
#[path = "conformance/applying.rs"]
mod applying;
#[path = "conformance/archiving.rs"]
mod archiving;
#[path = "conformance/collapsing.rs"]
mod collapsing;
#[path = "conformance/contesting.rs"]
mod contesting;
#[path = "conformance/ending.rs"]
mod ending;
#[path = "conformance/erasing.rs"]
mod erasing;
/// Helpers of the maintenance cases.
#[path = "conformance/night_cases.rs"]
mod night_cases;
#[path = "conformance/purging.rs"]
mod purging;
#[path = "conformance/restoring.rs"]
mod restoring;
#[path = "conformance/rewinding.rs"]
mod rewinding;
#[path = "conformance/themes.rs"]
mod themes;
#[path = "conformance/undoing.rs"]
mod undoing;
