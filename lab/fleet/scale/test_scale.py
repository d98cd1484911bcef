"""Tests of the cost model and of the simulation: `python3 -m pytest lab/fleet/scale`."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

import cost
import simulate
from cost import CostModel, Fleet, Night
from figures import DEFAULT_FILE, InputError, read_figures
from scenario import Assignment, Clock, Databases, Faults, Load, Order, Outage, Pause, Protocol, Scenario
from simulation import InvariantError, Simulation
from state import Result

INSTANT = Databases(count=1, nights_s=1e12, nights_s_one_worker=1e12, read_nights_s=1e12)
ONE_BATCH = Protocol(nights_a_commit=10)
TAKES_OVER_FIRST = replace(ONE_BATCH, order=Order.EXPIRED_FIRST)
FIGURES = read_figures()


def small(shards: int = 4, workers: int = 2, **fields: object) -> Scenario:
    """Returns a night of shards of 10 NPCs and 10 s, which commit at once."""
    load = Load(npcs=10 * shards, npcs_a_shard=10, workers=workers, seconds_a_shard=(10.0,), measured_npcs_a_shard=10)
    return replace(Scenario("small", load, INSTANT, ONE_BATCH), **fields)  # type: ignore[arg-type]


def run(scenario: Scenario) -> Result:
    return Simulation(scenario).run()


def town(seed: int, workers: int = 20) -> Scenario:
    """Returns a night of 100 measured shards on 20 workers."""
    return replace(simulate.base_scenario(FIGURES, 20_000, workers, 2, seed), name="town")


# By hand


def test_two_workers_plan_four_shards_in_two_rounds() -> None:
    result = run(small())
    assert result.makespan == pytest.approx(20)
    assert result.ideal == pytest.approx(20)
    assert result.utilisation == pytest.approx(1)
    assert result.tally.written_nights == 40


def test_dead_workers_shard_is_taken_when_its_lease_has_run_out() -> None:
    # Worker 0 dies at 5 s; its last heartbeat was its lease at 0 s, which ends at 60 s. Worker 1 needs 10 s from there.
    result = run(small(shards=2, faults=Faults(deaths=((0, 5.0),), restart=None)))
    assert result.makespan == pytest.approx(70)
    assert (result.tally.takeovers, result.tally.redone_nights) == (1, 10)


def test_lease_runs_from_the_last_heartbeat_before_the_death() -> None:
    slow = replace(small(shards=1).load, seconds_a_shard=(50.0,))
    result = run(small(load=slow, faults=Faults(deaths=((0, 45.0),), restart=None)))
    assert result.makespan == pytest.approx(40 + 60 + 50)


def test_written_batches_of_a_dead_worker_are_skipped() -> None:
    faults = Faults(deaths=((0, 7.0),), restart=None)
    result = run(small(shards=1, protocol=Protocol(nights_a_commit=5), faults=faults))
    assert result.makespan == pytest.approx(60 + 5)
    assert result.tally.redone_nights == 5


def test_straggler_keeps_its_shard() -> None:
    slow = replace(small(shards=2).load, seconds_a_shard=(500.0,))
    result = run(small(load=replace(slow, workers=5)))
    assert result.makespan == pytest.approx(500)
    assert result.tally.takeovers == 0


def test_late_commit_of_a_worker_that_stood_still_is_refused() -> None:
    # Worker 0 stands still from 5 to 95 s. Worker 1 has written its shard by 70 s.
    # At 100 s worker 0 commits too late; 10 shards are done then, and each worker plans one more.
    late = run(small(shards=12, protocol=TAKES_OVER_FIRST, faults=Faults(pauses=(Pause(0, 5.0, 90.0),))))
    assert (late.tally.refused_nights, late.tally.written_nights) == (10, 120)
    assert late.makespan == pytest.approx(110)


def test_worker_that_stood_still_goes_on_if_nobody_took_its_shard() -> None:
    result = run(small(shards=1, workers=1, faults=Faults(pauses=(Pause(0, 5.0, 90.0),))))
    assert result.makespan == pytest.approx(100)
    assert result.tally.takeovers == 0


def test_commit_waits_for_the_end_of_an_outage() -> None:
    result = run(small(shards=2, faults=Faults(outages=(Outage(8.0, 40.0),))))
    assert result.makespan == pytest.approx(48)
    assert result.tally.waited_seconds == pytest.approx(2 * 38)


def test_one_database_bounds_the_night() -> None:
    slow = Databases(count=1, nights_s=1.0, nights_s_one_worker=1.0, read_nights_s=1e12)
    assert run(small(workers=4, databases=slow)).makespan == pytest.approx(10 + 40)
    assert run(small(workers=4, databases=replace(slow, count=4))).makespan == pytest.approx(10 + 10)


def test_shard_is_given_up_after_its_last_attempt() -> None:
    faults = Faults(deaths=((0, 5.0), (1, 65.0)), restart=None)
    result = run(small(shards=1, workers=3, protocol=replace(ONE_BATCH, max_attempts=2), faults=faults))
    assert (result.tally.given_up_shards, result.max_attempts, result.tally.written_nights) == (1, 2, 0)


def test_static_shard_waits_for_its_own_worker() -> None:
    static = replace(ONE_BATCH, assignment=Assignment.STATIC)
    faults = Faults(deaths=((0, 5.0),), restart=1000.0)
    assert run(small(protocol=static, faults=faults)).makespan == pytest.approx(1025)
    with pytest.raises(InvariantError, match="2 of 4 shards are done, and nothing goes on"):
        run(small(protocol=static, faults=replace(faults, restart=None)))


def test_fresh_shards_first_redoes_nothing_after_an_outage() -> None:
    faults = Faults(outages=(Outage(5.0, 100.0),), straggler_sigma=0.5)
    fresh_first = replace(town(1).protocol, patience=None)
    expired_first = replace(fresh_first, order=Order.EXPIRED_FIRST)
    assert run(replace(town(1), faults=faults, protocol=expired_first)).tally.redone_nights > 0
    assert run(replace(town(1), faults=faults, protocol=fresh_first)).tally.redone_nights == 0


def test_worker_ends_when_the_database_is_away_for_longer_than_its_patience() -> None:
    # It ends at 40, 130 and 220 s. From 280 s on it waits for the 28 s that are left, and plans its shard again.
    faults = Faults(outages=(Outage(8.0, 300.0),), restart=60.0)
    result = run(small(shards=1, workers=1, protocol=replace(ONE_BATCH, patience=30.0), faults=faults))
    assert result.makespan == pytest.approx(318)
    assert (result.tally.deaths, result.tally.redone_nights) == (3, 10)


# Whatever the chance


def random_faults(chance: random.Random) -> Faults:
    return Faults(
        machine_sigma=chance.choice([0, 0.5]),
        straggler_sigma=chance.choice([0, 1]),
        mtbf=chance.choice([None, 60, 600]),
        restart=chance.choice([1, 60]),
        mean_time_between_pauses=chance.choice([None, 100, 1000]),
        mean_pause=chance.choice([10, 90]),
        clock_sigma=chance.choice([0, 100]),
        outages=chance.choice([(), (Outage(20, 90),), (Outage(0, 30), Outage(31, 200))]),
    )


@pytest.mark.parametrize("seed", range(60))
def test_every_night_is_written_once(seed: int) -> None:
    chance = random.Random(seed)
    lease = chance.choice([20.0, 60.0])
    protocol = Protocol(
        lease=lease,
        heartbeat=lease / chance.choice([2, 3]),
        max_attempts=1000,
        nights_a_commit=chance.choice([1, 64, 1000]),
        patience=chance.choice([None, 30.0]),
        assignment=chance.choice(list(Assignment)),
        order=chance.choice(list(Order)),
        clock=chance.choice(list(Clock)),
    )
    result = run(replace(town(seed), protocol=protocol, faults=random_faults(chance)))
    assert result.tally.written_nights == 20_000
    assert len(result.tally.shard_ends) == 100
    assert result.tally.given_up_shards == 0
    assert 0 < result.utilisation <= 1
    assert 0 <= result.database_wait <= 1 - result.utilisation + 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_shards_are_done_or_given_up(seed: int) -> None:
    result = run(replace(town(seed), faults=Faults(mtbf=20, restart=5)))
    assert len(result.tally.shard_ends) + result.tally.given_up_shards == 100
    assert result.max_attempts <= 5


def test_broken_fence_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Simulation, "_passes_fence", lambda *_: True)
    with pytest.raises(InvariantError, match="10 NPC-nights are written twice"):
        run(small(shards=12, protocol=TAKES_OVER_FIRST, faults=Faults(pauses=(Pause(0, 5.0, 90.0),))))


def test_night_without_end_is_noticed() -> None:
    faults = Faults(mtbf=0.1, restart=0.0)
    with pytest.raises(InvariantError, match="no end after"):
        run(small(protocol=replace(ONE_BATCH, assignment=Assignment.STATIC), faults=faults))


def measures(result: Result) -> tuple[object, ...]:
    return result.makespan, result.max_attempts, result.tally


def test_same_seed_gives_same_result() -> None:
    faulty = replace(town(7), faults=simulate.ALL)
    assert measures(run(faulty)) == measures(run(faulty))
    assert measures(run(faulty)) != measures(run(replace(faulty, seed=8)))


def test_skewed_clocks_change_nothing_while_the_server_judges() -> None:
    right = replace(town(3), faults=simulate.ALL)
    skewed = replace(right, faults=replace(simulate.ALL, clock_sigma=3600.0))
    assert measures(run(right)) == measures(run(skewed))
    judged_by_worker = replace(skewed, protocol=replace(right.protocol, clock=Clock.WORKER, max_attempts=1000))
    assert run(judged_by_worker).tally.redone_nights > 2 * run(skewed).tally.redone_nights


# Cost model

MODEL = CostModel(FIGURES)
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
    assert 1 / MODEL.core_seconds(NIGHT) == pytest.approx(FIGURES.number("cold_nights_s_core"))
    assert 1 / MODEL.core_seconds(warm) == pytest.approx(FIGURES.number("warm_nights_s_core"))
    assert MODEL.embedding_share(NIGHT) == pytest.approx(FIGURES.number("embedding_share_cold"))
    assert MODEL.embedding_share(warm) == 0


def test_cost_grows_with_memories_and_falls_with_hits() -> None:
    assert MODEL.core_seconds(Night(memories=100)) == pytest.approx(2 * MODEL.core_seconds(NIGHT))
    by_hit = list(MODEL.cost(NIGHT, Fleet()).core_hours_by_cache_hit.values())
    assert by_hit == sorted(by_hit, reverse=True)
    assert MODEL.cost(NIGHT, Fleet(price_core_hour=0.05)).price == pytest.approx(0.05 * by_hit[0])


def test_simulation_without_faults_agrees_with_the_model() -> None:
    result = run(town(1))
    modelled = 20_000 * MODEL.core_seconds(NIGHT) / 20
    assert result.ideal == pytest.approx(modelled, rel=0.02)


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


def test_simulation_refuses_bad_input_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate.main(["--workers", "0"]) == 2
    assert capsys.readouterr().err == "error: `workers`: 0; at least 1 is needed\n"
    with pytest.raises(InputError, match="`lease`: 20 s; more than the heartbeat of 20 s is needed"):
        Protocol(lease=20, heartbeat=20)
    with pytest.raises(InputError, match="`outage` at 5 s: it begins before 10 s"):
        Faults(outages=(Outage(0, 10), Outage(5, 10)))
    with pytest.raises(InputError, match="`seconds a shard`: no measured shard"):
        replace(small().load, seconds_a_shard=())


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
    assert simulate.main(["--npcs", "20000", "--workers", "20", "--only", "all faults"]) == 0
    assert capsys.readouterr().out.count("\n| ") == 7
