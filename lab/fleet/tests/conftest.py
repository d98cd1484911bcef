"""Fixtures of the recipes' tests: a PostgreSQL server, a pack, and a store slept in one process to compare with.

What is not installed is skipped, and says so; NIGHTFOLD_FLEET=required insists on all of it.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import nightfold
import pytest
import town
from postgres_server import PostgresMissing, PostgresServer


def pytest_configure(config: pytest.Config) -> None:
    """Tell each skipped test with its reason at the end, without asking for it."""
    if "s" not in config.option.reportchars:
        config.option.reportchars += "s"


def absent(what: str) -> NoReturn:
    """Skip a test because something is not installed; fail where all must be."""
    if os.environ.get("NIGHTFOLD_FLEET") == "required":
        pytest.fail(f"{what}, and NIGHTFOLD_FLEET=required", pytrace=False)
    pytest.skip(f"NOT TESTED: {what}")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server for all tests of this run."""
    try:
        server = PostgresServer.start()
    except PostgresMissing as missing:
        absent(str(missing))
    with server:
        yield server


@pytest.fixture
def store(postgres: PostgresServer) -> str:
    """The address of a fresh store."""
    return postgres.address()


@pytest.fixture(scope="session")
def embedder() -> nightfold.Embedder:
    """The model, fetched if this machine lacks it: what runs later finds it in the user's cache."""
    return nightfold.Embedder(threads=1)


@pytest.fixture(scope="session")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The days of the town as lines of JSON."""
    return town.write_lines(tmp_path_factory.mktemp("days") / "days.jsonl", town.days())


@pytest.fixture(scope="session")
def pack(tmp_path_factory: pytest.TempPathFactory, lines: Path) -> Path:
    """A pack of the town in four shards: by `nightfold shards pack` where NIGHTFOLD_PROGRAM has it."""
    path = tmp_path_factory.mktemp("pack") / "days"
    if town.program_packs():
        return town.pack_by_program(path, lines, 4)
    return town.write_pack(path, town.days(), 4)


@pytest.fixture(scope="session")
def expected(postgres: PostgresServer, embedder: nightfold.Embedder) -> Counter[str]:
    """What a store holds in which one process slept the town."""
    alone = nightfold.Store(postgres.address())
    plan = nightfold.sleep(town.days(), store=alone, apply=True, embedder=embedder, by_day=True)
    assert (plan.written, plan.failures) == (town.NIGHTS, [])
    return town.contents(alone.export())


@pytest.fixture(scope="session")
def engine_env() -> Iterator[dict[str, str]]:
    """The environment of an engine on this machine alone; its folders are short, for sockets, and vanish."""
    with tempfile.TemporaryDirectory(prefix="nf") as folder:
        # Without a token of the tests' own Ray writes one into the user's home.
        ray = {"RAY_TMPDIR": folder, "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        yield {**os.environ, **ray, "SPARK_LOCAL_DIRS": folder, "SPARK_LOCAL_IP": "127.0.0.1"}
