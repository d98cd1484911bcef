"""A PostgreSQL server of one's own, for tests: in a temporary folder, on a free port of the loopback address.

It ends with the process that started it, in whatever way that ends: a shell between the two reads a pipe, and stops the server when the pipe
closes. The Rust tests do the same (``crates/store/src/testing.rs``).
"""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

# Runs the server until standard input ends; "restart" and "crash" are commands.
SCRIPT = r"""
set -u
dir=$(mktemp -d -t nightfold-fleet.XXXXXX 2> /dev/null) || dir=$(TMPDIR= mktemp -d -t nightfold-fleet.XXXXXX) || exit 1
cd "$dir" || exit 1
initdb -D "$dir/data" -U nightfold --auth=trust -E UTF8 --locale=C.UTF-8 --no-sync > "$dir/initdb.log" 2>&1 \
    || { cat "$dir/initdb.log" >&2; rm -rf "$dir"; exit 1; }
start() {
    postgres -D "$dir/data" -k "$dir" -c listen_addresses=127.0.0.1 -c port="$1" -c fsync="$fsync" -c max_connections=200 \
        > "$dir/server.log" 2>&1 < /dev/null &
    pid=$!
    for _ in $(seq 1 300); do
        if pg_isready -q -h 127.0.0.1 -p "$1" -U nightfold; then echo ready; return; fi
        kill -0 $pid 2> /dev/null || break
        sleep 0.1
    done
    cat "$dir/server.log" >&2
    exit 1
}
stop() { kill -"$1" $pid 2> /dev/null; wait $pid 2> /dev/null; }
trap 'stop INT; rm -rf "$dir"' EXIT
fsync=$2
start "$1"
while read -r told; do
    case $told in
        restart) stop INT; start "$1" ;;
        crash) stop QUIT; start "$1" ;;
    esac
done
"""


class PostgresMissing(Exception):
    """PostgreSQL is not installed."""


class PostgresServer:
    """A server that runs until ``stop``, the end of a ``with`` block, or the end of this process."""

    def __init__(self, shell: subprocess.Popen[str], port: int, env: Mapping[str, str]) -> None:
        self._shell = shell
        self._env = env
        self._schemas = itertools.count()
        self.port = port

    @classmethod
    def start(cls, fsync: bool = False) -> PostgresServer:
        """Start a server, which does not wait for the disk unless told to; ``PostgresMissing`` if none is installed."""
        env = {**os.environ, "PATH": f"{_programs()}{os.pathsep}{os.environ.get('PATH', '')}"}
        # Another process may take the port before the server does.
        for _ in range(3):
            port = _free_port()
            command = [*_as_another_user(), "sh", "-c", SCRIPT, "postgres", str(port), "on" if fsync else "off"]
            # In a session of its own: ^C is for the tests, which then close the pipe.
            shell = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env, start_new_session=True
            )
            server = cls(shell, port, env)
            if server._is_ready():
                return server
            server.stop()
        raise RuntimeError("PostgreSQL does not start")

    def address(self, schema: str | None = None) -> str:
        """Return the address of a schema for ``Store`` and ``--store``; of an unused one without a name."""
        schema = schema or f"town{next(self._schemas)}"
        return f"postgres://nightfold@127.0.0.1:{self.port}/postgres?sslmode=disable&schema={schema}"

    def sql(self, query: str) -> list[str]:
        """Run SQL as the superuser, and return a line for each row, its values joined by ``|``."""
        command = ["psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "nightfold", "-d", "postgres"]
        command += ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", query]
        told = subprocess.run(command, env=self._env, capture_output=True, text=True, check=False)
        if told.returncode != 0:
            raise RuntimeError(told.stderr.strip())
        return told.stdout.splitlines()

    def restart(self) -> None:
        """Stop the server, which ends all connections, and start it again with the same data."""
        self._tell("restart")

    def crash(self) -> None:
        """Kill the server in the middle of everything, and start it again with what is on its disk."""
        self._tell("crash")

    def stop(self) -> None:
        """Stop the server and remove its folder."""
        if self._shell.stdin is not None and not self._shell.stdin.closed:
            self._shell.stdin.close()
        self._shell.wait()

    def _tell(self, word: str) -> None:
        assert self._shell.stdin is not None
        print(word, file=self._shell.stdin, flush=True)
        if not self._is_ready():
            raise RuntimeError("PostgreSQL does not start again")

    def _is_ready(self) -> bool:
        assert self._shell.stdout is not None
        return self._shell.stdout.readline() == "ready\n"

    def __enter__(self) -> PostgresServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _programs() -> Path:
    """Return the folder of PostgreSQL's programs: the newest of Debian's, or one of the search path."""
    debian = [initdb.parent for initdb in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if debian:
        return max(debian, key=lambda folder: int(folder.parent.name))
    if initdb := shutil.which("initdb"):
        return Path(initdb).parent
    raise PostgresMissing("PostgreSQL is not installed (no initdb)")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _as_another_user() -> list[str]:
    """Return the start of a command that runs as somebody else where this is root, whom PostgreSQL refuses."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "env", "-u", "HOME"]
