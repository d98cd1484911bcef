"""Tests of the cost model: `python3 -m pytest lab/fleet/scale`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cost
from cost import CostModel, Fleet, Night
from figures import DEFAULT_FILE, InputError, read_figures

MODEL = CostModel(read_figures())
NIGHT = Night()


def hours(nodes: int, databases: int = 1000) -> float:
    return MODEL.cost(NIGHT, Fleet(nodes=nodes, databases=databases)).hours


def test_twice_the_nodes_halve_the_hours_until_a_database_bounds_them() -> None:
    assert hours(20) == pytest.approx(hours(10) / 2)
    assert MODEL.cost(NIGHT, Fleet(nodes=20, databases=1000)).breaks_first == "cores"
    assert hours(20, databases=1) == hours(40, databases=1)
    assert MODEL.cost(NIGHT, Fleet(nodes=20, databases=1)).breaks_first.startswith("database")


def test_nodes_and_databases_for_a_window_keep_it() -> None:
    wanted = MODEL.cost(NIGHT, Fleet(window_hours=0.5))
    assert hours(wanted.nodes_for_window, wanted.databases_for_window) <= 0.5
    assert hours(wanted.nodes_for_window - 1, wanted.databases_for_window) > 0.5
    assert hours(wanted.nodes_for_window, wanted.databases_for_window - 1) > 0.5


def test_databases_that_keep_cores_busy_are_enough() -> None:
    enough = MODEL.cost(NIGHT, Fleet(nodes=63)).databases_for_cores
    by_resource = MODEL.hours_by_resource(NIGHT, Fleet(nodes=63, databases=enough))
    assert by_resource["database commits"] <= by_resource["cores"]


def test_cold_and_warm_nights_cost_what_was_measured() -> None:
    warm = Night(cache_hit=1, verdict_hit=1)
    assert 1 / MODEL.core_seconds(NIGHT) == pytest.approx(MODEL.figures.number("cold_nights_s_core"))
    assert 1 / MODEL.core_seconds(warm) == pytest.approx(MODEL.figures.number("warm_nights_s_core"))
    assert MODEL.embedding_share(NIGHT) == pytest.approx(MODEL.figures.number("embedding_share_cold"))
    assert MODEL.embedding_share(warm) == 0


def test_cost_grows_with_memories_and_falls_with_hits() -> None:
    assert MODEL.core_seconds(Night(memories=100)) == pytest.approx(2 * MODEL.core_seconds(NIGHT))
    by_hit = list(MODEL.cost(NIGHT, Fleet()).core_hours_by_cache_hit.values())
    assert by_hit == sorted(by_hit, reverse=True)
    assert MODEL.cost(NIGHT, Fleet(price_core_hour=0.05)).price == pytest.approx(0.05 * by_hit[0])


# Input that is refused


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--npcs", "0"], "`npcs`: 0; at least 1 is needed"),
        (["--memories", "5"], "`memories`: 5; at least 20 and at most 800 is needed"),
        (["--cache-hit", "1.5"], "`cache hit`: 1.5; at least 0 and at most 1 is needed"),
        (["--nodes", "0"], "`nodes`: 0; at least 1 is needed"),
        (["--window-hours", "nan"], "`window hours`: nan; a finite number is needed"),
        (["--set", "wal_factor=none"], "`--set wal_factor=none`: NAME=VALUE with a number is needed"),
        (["--set", "wal=1"], "figure `wal`: unknown; known are "),
        (["--set", "cold_nights_s_core=2000"], "`cold_nights_s_core`: a cold night takes less time than a warm one"),
        (["--measured", "/nowhere.json"], "figures of /nowhere.json: [Errno 2]"),
    ],
)
def test_cost_refuses_bad_input_by_name(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cost.main(arguments) == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": -1}, "`wal_factor`: -1; above 0 is needed"),
        ({"value": "much"}, "`wal_factor`: 'much'; a finite number is needed"),
        ({"basis": "guessed"}, "figure `wal_factor`: basis 'guessed'; one of measured, documented, assumed"),
        ({"note": ""}, "figure `wal_factor`: exactly the keys value, unit, basis"),
    ],
)
def test_bad_figures_are_refused_by_name(change: dict[str, object], message: str, tmp_path: Path) -> None:
    rows = json.loads(DEFAULT_FILE.read_text())
    rows["wal_factor"].update(change)
    path = tmp_path / "measured.json"
    path.write_text(json.dumps(rows))
    with pytest.raises(InputError) as refused:
        read_figures(path)
    assert str(refused.value).startswith(message)


def test_commands_print_their_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert cost.main(["--npcs", "1000000"]) == 0
    assert capsys.readouterr().out.startswith("| 1,000,000 NPCs of 50 memories, 63 nodes of 16 cores | |")
    assert cost.main(["--figures"]) == 0
    assert "| wal_factor | " in capsys.readouterr().out
    assert cost.main(["--json", "--nodes", "7"]) == 0
    assert json.loads(capsys.readouterr().out)["breaks_first"] in MODEL.hours_by_resource(NIGHT, Fleet())
