"""Moments of a worker, as the server sees them: who has a lease, and who is in the middle of a transaction."""

from __future__ import annotations

import socket
from pathlib import Path

from setting import PostgresServer

# Waits at the server, which sees a transaction of milliseconds, for one that has written rows.
IN_TRANSACTION = """
CREATE FUNCTION pg_temp.writer(wanted text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE port int; until timestamptz := clock_timestamp() + interval '3 seconds';
BEGIN
    LOOP
        PERFORM pg_stat_clear_snapshot();
        SELECT client_port INTO port FROM pg_stat_activity
        WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid() AND query ~ wanted LIMIT 1;
        IF port IS NOT NULL OR clock_timestamp() > until THEN RETURN port; END IF;
        PERFORM pg_sleep(0.001);
    END LOOP;
END $$;
SELECT pg_temp.writer('memory|vector|night|theme|edge|log');
"""


def leases(server: PostgresServer, store: str) -> dict[int, int]:
    """Return the processes of this machine that have a lease, each with its shard."""
    schema = store.rpartition("=")[2]
    if server.sql(f"SELECT to_regclass('{schema}.shared_shard')") == [""]:
        return {}
    leased = f"SELECT worker, shard FROM {schema}.shared_shard WHERE state = 'leased' AND lease_until > clock_timestamp()"
    rows = [(worker.rpartition(":"), shard) for worker, _, shard in (row.rpartition("|") for row in server.sql(leased))]
    return {int(pid): int(shard) for (host, _, pid), shard in rows if host == socket.gethostname()}


def taken_over(server: PostgresServer, store: str, shard: int, pid: int) -> bool:
    """Return true if a shard has gone from a process to another."""
    schema = store.rpartition("=")[2]
    (worker,) = server.sql(f"SELECT worker FROM {schema}.shared_shard WHERE shard = {shard}")
    return worker != f"{socket.gethostname()}:{pid}"


def writing(server: PostgresServer, pids: list[int]) -> int | None:
    """Wait up to three seconds for a process that is writing nights, and return it."""
    (port,) = server.sql(IN_TRANSACTION)
    return _owner(int(port), pids) if port else None


def _owner(port: int, pids: list[int]) -> int | None:
    """Return the process that has a connection from a port of the loopback address."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    sockets = {f"socket:[{row[9]}]" for row in rows if int(row[1].partition(":")[2], 16) == port}
    for pid in pids:
        try:
            opened = {str(place.readlink()) for place in Path(f"/proc/{pid}/fd").iterdir()}
        except OSError:
            continue
        if opened & sockets:
            return pid
    return None
