//! Opening a store: access, roles, formats, passwords, TLS.

use std::time::Duration;

use nightfold_memory::{MemoryReader as _, MemoryStore as _, StoreError};
use nightfold_store::{
    Access, LeaseOffer, OpenError, PostgresOptions, PostgresStore, SharedRunKey, SharedRuns as _,
    testing::PostgresServer,
};

use crate::{apply_all, nights_of, server};

fn with_access(access: Access) -> PostgresOptions {
    PostgresOptions { access, retry_for: Duration::ZERO, ..PostgresOptions::default() }
}

fn schema_of(address: &str) -> String {
    address.split_once("schema=").unwrap().1.to_owned()
}

#[test]
fn access_decides_what_is_made_and_written() {
    let server = server!();
    let address = server.address();
    for access in [Access::ReadOnly, Access::Existing] {
        let missing = PostgresStore::open_with(&address, &with_access(access)).unwrap_err();
        assert!(matches!(missing, OpenError::Missing(_)), "{missing}");
    }
    let store = PostgresStore::open(&address).unwrap();
    store.apply(1, &nights_of(2, 1)).unwrap();
    let reader = PostgresStore::open_with(&address, &with_access(Access::ReadOnly)).unwrap();
    assert_eq!(reader.npcs().unwrap().len(), 2);
    let refused = reader.apply(2, &nights_of(3, 1)).unwrap_err();
    let cause = std::error::Error::source(&refused).unwrap().to_string();
    assert!(cause.contains("read-only"), "{cause}");
}

/// Two programs make the same store at once.
#[test]
fn store_is_made_once() {
    let server = server!();
    let address = server.address();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| PostgresStore::open(&address).unwrap());
        }
    });
    assert!(PostgresStore::open(&address).unwrap().npcs().unwrap().is_empty());
}

/// The role of workers: it reads and writes rows, and nothing else.
#[test]
fn worker_needs_no_right_to_change_tables() {
    let server = server!();
    let address = server.address();
    PostgresStore::open(&address).unwrap();
    let schema = schema_of(&address);
    let grants = include_str!("../../src/postgres/schema/worker.sql").replace(":schema", &schema);
    server.sql("CREATE ROLE nightfold_worker LOGIN").unwrap();
    server.sql(&grants).unwrap();
    let worker = PostgresStore::open(&address.replace("nightfold@", "nightfold_worker@")).unwrap();
    let nights = nights_of(3, 2);
    apply_all(&worker, worker.begin_run().unwrap(), &nights);
    worker.save_point(&"slot".parse().unwrap()).unwrap();
    worker.undo(&nights[0].npc).unwrap().unwrap();
    worker.purge(&nights[1].npc, 0).unwrap();
    let key = SharedRunKey { subject: "pack", settings: "{}", shards: 1 };
    let run = worker.join_run(&key, false).unwrap();
    assert!(matches!(
        worker.lease_shard(run, "worker", None, Duration::from_mins(1), 3).unwrap(),
        LeaseOffer::Shard(_)
    ));
    let other = address.replace("nightfold@", "nightfold_worker@").replace(&schema, "elsewhere");
    let refused = PostgresStore::open_with(&other, &with_access(Access::Create)).unwrap_err();
    let cause = std::error::Error::source(&refused).and_then(std::error::Error::source).unwrap().to_string();
    assert!(cause.contains("permission denied"), "{cause}");
    let drop_tables = format!("SET ROLE nightfold_worker; DROP TABLE {schema}.memory");
    assert!(server.sql(&drop_tables).unwrap_err().to_string().contains("must be owner"));
}

#[test]
fn older_format_is_named_to_those_who_may_not_change_tables() {
    let server = server!();
    let address = server.address();
    PostgresStore::open(&address).unwrap();
    server.sql(&format!("UPDATE {}.store SET format = 0", schema_of(&address))).unwrap();
    let older = PostgresStore::open_with(&address, &with_access(Access::Existing)).unwrap_err();
    assert!(matches!(older, OpenError::OlderFormat { found: 0, known: 1, .. }), "{older}");
}

#[test]
fn foreign_and_newer_schemas_are_refused() {
    let server = server!();
    let address = server.address();
    let schema = schema_of(&address);
    server.sql(&format!("CREATE SCHEMA {schema}; CREATE TABLE {schema}.store (title text)")).unwrap();
    let refused = |access| PostgresStore::open_with(&address, &with_access(access)).unwrap_err();
    assert!(matches!(refused(Access::Create), OpenError::Foreign(_)));

    server.sql(&format!("DROP SCHEMA {schema} CASCADE")).unwrap();
    PostgresStore::open(&address).unwrap();
    server.sql(&format!("UPDATE {schema}.store SET format = 99")).unwrap();
    let error = refused(Access::Create);
    assert!(
        matches!(error, OpenError::Refused { source: StoreError::NewerFormat { found: 99, .. }, .. }),
        "{error}"
    );
}

#[test]
fn server_that_is_not_there_is_told_in_time() {
    let begun = std::time::Instant::now();
    let options = PostgresOptions { retry_for: Duration::from_millis(200), ..PostgresOptions::default() };
    let refused = PostgresStore::open_with("postgres://u:s3cret@127.0.0.1:1/d?sslmode=disable", &options);
    let refused = refused.unwrap_err();
    assert!(matches!(refused, OpenError::Connect { .. }), "{refused:?}");
    assert!(!format!("{refused} {refused:?}").contains("s3cret"));
    assert!(begun.elapsed() < Duration::from_secs(10));
    let Some(server) = PostgresServer::shared() else { return };
    let unknown = server.address().replace("/postgres?", "/nowhere?");
    let refused = PostgresStore::open_with(&unknown, &options).unwrap_err();
    assert!(matches!(refused, OpenError::Connect { .. }), "{refused:?}");
}

/// With TLS, the certificate and the name of the server are checked.
#[test]
fn tls_checks_the_server() {
    let Some(server) = PostgresServer::start(false).unwrap() else { return };
    let make = "COPY (SELECT 1) TO PROGRAM 'openssl req -x509 -newkey rsa:2048 -nodes -keyout server.key -out server.crt \
         -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE'";
    if let Err(error) = server.sql(make) {
        eprintln!("no certificate can be made: TLS is passed over ({error})");
        return;
    }
    server.sql("ALTER SYSTEM SET ssl = on").unwrap();
    server.sql("SELECT pg_reload_conf()").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let certificate = folder.path().join("server.crt");
    std::fs::write(&certificate, server.sql("SELECT pg_read_file('server.crt')").unwrap()).unwrap();
    let address = server.address_of("town").replace("sslmode=disable", "sslmode=require");
    let open = |address: &str| PostgresStore::open_with(address, &with_access(Access::Create));

    let trusted = format!("{address}&sslrootcert={}", certificate.display());
    let by_name = trusted.replace("127.0.0.1", "localhost");
    let store = open(&by_name).unwrap();
    store.apply(1, &nights_of(1, 1)).unwrap().remove(0).unwrap();
    let used = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
         WHERE ssl AND application_name = 'nightfold'";
    assert_ne!(server.sql(used).unwrap(), "0");
    let begun = std::time::Instant::now();
    let patient = PostgresStore::open(&trusted).unwrap_err();
    assert!(matches!(patient, OpenError::Connect { .. }), "the certificate is another host's: {patient}");
    assert!(begun.elapsed() < Duration::from_secs(10), "it stays another host's");
    assert!(matches!(open(&address.replace("127.0.0.1", "localhost")), Err(OpenError::Connect { .. })));
    let wrong = format!("{address}&sslrootcert={}", folder.path().join("missing").display());
    assert!(matches!(open(&wrong), Err(OpenError::Certificate { .. })));
}
