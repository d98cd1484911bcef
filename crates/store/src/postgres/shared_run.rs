//! Leases of shards, by the server's clock alone: the clocks of the workers need not agree.

use std::{ops::Range, time::Duration};

use nightfold_memory::StoreError;

use super::PostgresStore;
use crate::{
    JoinError, Lease, LeaseOffer, ShardCounts, ShardOutcome, ShardRelease, ShardStatus, SharedRunKey,
    SharedRunStatus, SharedRuns,
    sql::{
        ChangeScope, Database, DatabaseFault, Idempotency, SqlValue, params, query_all, query_one,
        query_value, row::Cells, write,
    },
};

/// Longest note on a problem, in characters; the rest is in the worker's log.
const LONGEST_PROBLEM: usize = 500;

impl SharedRuns for PostgresStore {
    fn join_run(&self, key: &SharedRunKey<'_>, again: bool) -> Result<u64, JoinError> {
        // Most workers find a run, and need no lock for it.
        let found = if again { None } else { self.read(|db| find(db, key))? };
        found.unwrap_or_else(|| {
            let begin = self.connections.writing_locked("shared run", key.subject);
            self.connections.run(&begin, Idempotency::Idempotent, |db, _| join(db, key, again))?
        })
    }

    fn lease_shard(
        &self,
        run: u64,
        worker: &str,
        own: Option<Range<u32>>,
        lease: Duration,
        tries: u32,
    ) -> Result<LeaseOffer, StoreError> {
        // A lease whose worker has not heard of it ends by itself.
        self.write(ChangeScope::Nothing, Idempotency::Idempotent, |db| {
            lease_shard(db, run, worker, own.as_ref(), lease, tries)
        })
    }

    fn extend_lease(&self, lease: &Lease, by: Duration) -> Result<bool, StoreError> {
        self.change_of_lease(
            lease,
            "UPDATE shared_shard SET lease_until = clock_timestamp() + ?4 * interval '1 second' \
             WHERE run = ?1 AND shard = ?2 AND turn = ?3 AND state = 'leased' \
             AND EXISTS (SELECT 1 FROM shared_run WHERE run = ?1 AND NOT closed AND NOT taken_back)",
            params![by.as_secs_f64()],
        )
    }

    fn end_lease(&self, lease: &Lease, outcome: &ShardOutcome) -> Result<bool, StoreError> {
        let ShardOutcome { nights, written, failed, problem } = outcome;
        let problem = problem.as_deref().map(shortened);
        let state = if *failed > 0 || problem.is_some() { "failed" } else { "done" };
        // The second time of one change finds what the first wrote.
        self.change_of_lease(
            lease,
            "UPDATE shared_shard SET state = ?4, nights = ?5, written = ?6, failed = ?7, problem = ?8, \
             lease_until = NULL, seconds = CASE state WHEN 'leased' \
             THEN extract(epoch FROM clock_timestamp() - leased_at)::double precision ELSE seconds END \
             WHERE run = ?1 AND shard = ?2 AND turn = ?3 AND state IN ('leased', ?4)",
            params![state, *nights, *written, *failed, problem],
        )
    }

    fn give_back(&self, lease: &Lease, why: &ShardRelease) -> Result<(), StoreError> {
        let (tries, lost, problem) = match why {
            ShardRelease::Stopped => (1_u8, 0_u8, None),
            ShardRelease::Away(problem) => (1, 1, Some(shortened(problem))),
            ShardRelease::Failed(problem) => (0, 1, Some(shortened(problem))),
        };
        let sql = "UPDATE shared_shard SET state = 'open', lease_until = NULL, tries = tries - ?4, lost = lost + ?5, problem = ?6 \
                   WHERE run = ?1 AND shard = ?2 AND turn = ?3 AND state = 'leased'";
        self.change_of_lease(lease, sql, params![tries, lost, problem]).map(drop)
    }

    fn shard_counts(&self, run: u64) -> Result<ShardCounts, StoreError> {
        let sql = "SELECT count(*) FILTER (WHERE state = 'open'), count(*) FILTER (WHERE state = 'leased'), \
                   count(*) FILTER (WHERE state = 'done'), count(*) FILTER (WHERE state = 'failed') \
                   FROM shared_shard WHERE run = ?1";
        let counts = self.read(|db| {
            query_one(db, sql, &params![run], |cells| {
                Ok(ShardCounts {
                    open: cells.get("open")?,
                    leased: cells.get("leased")?,
                    done: cells.get("done")?,
                    failed: cells.get("failed")?,
                })
            })
        })?;
        Ok(counts.unwrap_or_default())
    }

    fn close_run(&self, run: u64) -> Result<bool, StoreError> {
        self.write(ChangeScope::Nothing, Idempotency::Idempotent, |db| {
            Ok(db.execute("UPDATE shared_run SET closed = true WHERE run = ?1", &params![run])? > 0)
        })
    }

    fn shared_runs(&self, most: usize) -> Result<Vec<SharedRunStatus>, StoreError> {
        self.read(|db| {
            let sql = "SELECT run, subject, extract(epoch FROM clock_timestamp() - begun_at)::double precision, \
                       closed, taken_back, (SELECT count(*) FROM night WHERE night.run = shared_run.run) \
                       FROM shared_run ORDER BY run DESC LIMIT ?1";
            let mut runs = query_all(db, sql, &params![most], read_run)?;
            for run in &mut runs {
                run.shards = query_all(db, SHARDS, &params![run.run], read_shard)?;
            }
            Ok(runs)
        })
    }
}

impl PostgresStore {
    /// Changes the row of a lease; returns false if it is not there as expected. `rest` are the parameters after those that name
    /// the lease.
    fn change_of_lease<const N: usize>(
        &self,
        lease: &Lease,
        sql: &str,
        rest: [SqlValue<'_>; N],
    ) -> Result<bool, StoreError> {
        let mut values = Vec::from(params![lease.run, lease.shard, lease.turn]);
        values.extend(rest);
        self.write(ChangeScope::Nothing, Idempotency::Idempotent, |db| Ok(db.execute(sql, &values)? > 0))
    }
}

fn shortened(problem: &str) -> String {
    problem.chars().take(LONGEST_PROBLEM).collect()
}

/// Run that a worker joins, or the reason that it may not.
type JoinOutcome = Result<u64, JoinError>;

/// Finds the run of this input; `None` if there is none, or all of it is done with other settings.
fn find(db: &dyn Database, key: &SharedRunKey<'_>) -> Result<Option<JoinOutcome>, DatabaseFault> {
    let sql = "SELECT run, settings, shards FROM shared_run \
               WHERE subject = ?1 AND NOT closed AND NOT taken_back ORDER BY run DESC LIMIT 1";
    let there = query_one(db, sql, &params![key.subject], |cells| {
        Ok((cells.get::<u64>("run")?, cells.get::<String>("settings")?, cells.get::<u32>("shards")?))
    })?;
    let Some((run, settings, there)) = there else { return Ok(None) };
    if settings == key.settings && there == key.shards {
        return Ok(Some(Ok(run)));
    }
    let left = "SELECT EXISTS (SELECT 1 FROM shared_shard WHERE run = ?1 AND state <> 'done')";
    if !query_value::<bool>(db, left, &params![run], "state of a run")? {
        return Ok(None);
    }
    Ok(Some(Err(if there == key.shards {
        JoinError::OtherSettings { run, settings }
    } else {
        JoinError::OtherShards { run, there, given: key.shards }
    })))
}

/// Finds a run or begins one; the lock of its subject is held.
fn join(db: &dyn Database, key: &SharedRunKey<'_>, again: bool) -> Result<JoinOutcome, DatabaseFault> {
    let Some(found) = find(db, key)? else { return begin(db, key).map(Ok) };
    if let (Ok(run), true) = (&found, again) {
        let open = "UPDATE shared_shard SET state = 'open', tries = 0, nights = 0, written = 0, failed = 0, \
                    problem = NULL WHERE run = ?1 AND state = 'failed'";
        db.execute(open, &params![*run])?;
    }
    Ok(found)
}

fn begin(db: &dyn Database, key: &SharedRunKey<'_>) -> Result<u64, DatabaseFault> {
    let run = write::begin_run(db)?;
    let new = "INSERT INTO shared_run (run, subject, settings, shards) VALUES (?1, ?2, ?3, ?4)";
    db.execute(new, &params![run, key.subject, key.settings, key.shards])?;
    let shards =
        "INSERT INTO shared_shard (run, shard) SELECT ?1, generate_series(0::bigint, ?2::bigint - 1)";
    db.execute(shards, &params![run, key.shards])?;
    Ok(run)
}

fn lease_shard(
    db: &dyn Database,
    run: u64,
    worker: &str,
    own: Option<&Range<u32>>,
    lease: Duration,
    tries: u32,
) -> Result<LeaseOffer, DatabaseFault> {
    let in_force = "SELECT count(*) FROM shared_run WHERE run = ?1 AND NOT closed AND NOT taken_back";
    if query_value::<u64>(db, in_force, &params![run], "presence of a run")? == 0 {
        return Ok(LeaseOffer::Ended);
    }
    let given_up = "UPDATE shared_shard SET state = 'failed', lease_until = NULL, \
         lost = lost + CASE state WHEN 'leased' THEN 1 ELSE 0 END, \
         problem = 'no worker came to its end in ' || tries || ' tries' || coalesce(': ' || problem, '') \
         WHERE run = ?1 AND tries >= ?2 \
         AND (state = 'open' OR state = 'leased' AND lease_until < clock_timestamp())";
    db.execute(given_up, &params![run, tries])?;

    // Those that nobody has begun come first: after an outage, leases have run out whose workers are well.
    let open = "state = 'open'";
    let mut candidates =
        vec![open.to_owned(), "state = 'leased' AND lease_until < clock_timestamp()".to_owned()];
    if let Some(Range { start, end }) = own {
        candidates.insert(0, format!("{open} AND shard >= {start} AND shard < {end}"));
    }
    for candidates in candidates {
        let sql = format!(
            "WITH next AS (SELECT shard FROM shared_shard WHERE run = ?1 AND {candidates} \
                           ORDER BY tries, lost, shard LIMIT 1 FOR UPDATE SKIP LOCKED) \
             UPDATE shared_shard AS s SET state = 'leased', turn = turn + 1, tries = tries + 1, worker = ?2, \
             lost = lost + CASE s.state WHEN 'leased' THEN 1 ELSE 0 END, \
             problem = NULL, nights = 0, written = 0, failed = 0, \
             leased_at = clock_timestamp(), lease_until = clock_timestamp() + ?3 * interval '1 second' \
             FROM next WHERE s.run = ?1 AND s.shard = next.shard RETURNING s.shard, s.turn"
        );
        let leased = query_one(db, &sql, &params![run, worker, lease.as_secs_f64()], |cells| {
            Ok(Lease { run, shard: cells.get("shard")?, turn: cells.get("turn")? })
        })?;
        if let Some(lease) = leased {
            return Ok(LeaseOffer::Shard(lease));
        }
    }
    // Shards that another worker leases at this moment count as leased.
    let sql = "SELECT count(*), coalesce(min(extract(epoch FROM lease_until - clock_timestamp())), 0)::double precision \
               FROM shared_shard WHERE run = ?1 AND state IN ('open', 'leased')";
    let left = query_one(db, sql, &params![run], |cells| {
        Ok((cells.get::<u64>("shards left")?, cells.get::<f64>("seconds")?))
    })?;
    Ok(match left {
        Some((1.., seconds)) => LeaseOffer::Wait(Duration::try_from_secs_f64(seconds).unwrap_or_default()),
        _ => LeaseOffer::Nothing,
    })
}

const SHARDS: &str = "SELECT shard, state, turn, lost, worker, \
     extract(epoch FROM lease_until - clock_timestamp())::double precision, \
     CASE state WHEN 'leased' THEN extract(epoch FROM clock_timestamp() - leased_at)::double precision ELSE seconds END, \
     nights, written, failed, problem FROM shared_shard WHERE run = ?1 ORDER BY shard";

fn read_run(cells: &mut Cells<'_>) -> Result<SharedRunStatus, StoreError> {
    Ok(SharedRunStatus {
        run: cells.get("run")?,
        subject: cells.get("subject")?,
        seconds: cells.get("seconds")?,
        closed: cells.get("closed")?,
        taken_back: cells.get("taken_back")?,
        written: cells.get("written")?,
        shards: Vec::new(),
    })
}

fn read_shard(cells: &mut Cells<'_>) -> Result<ShardStatus, StoreError> {
    Ok(ShardStatus {
        shard: cells.get("shard")?,
        state: cells.named("state of a shard")?,
        turns: cells.get("turn")?,
        lost: cells.get("lost")?,
        worker: cells.get("worker")?,
        lease_seconds: cells.get("lease_until")?,
        seconds: cells.get("seconds")?,
        outcome: ShardOutcome {
            nights: cells.get("nights")?,
            written: cells.get("written")?,
            failed: cells.get("failed")?,
            problem: cells.get("problem")?,
        },
    })
}
