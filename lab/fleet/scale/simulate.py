#!/usr/bin/env python3
"""Simulated nights of a fleet: a table of scenarios.

  simulate.py --npcs 10000000 --workers 1000

Each row is one run of the lease protocol with its faults; every run checks that each NPC-night is written exactly once.
Seconds of shards and rates of the database are those of `measured.json`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from cost import CostModel, Night
from figures import DEFAULT_FILE, Figures, InputError, read_figures
from scenario import Assignment, Clock, Databases, Faults, Load, Order, Outage, Protocol, Scenario
from simulation import Simulation
from state import Result

NONE = Faults()
STRAGGLERS = Faults(machine_sigma=0.3, straggler_sigma=0.5)
HOURLY_FAILURES = Faults(mtbf=3600.0)
FREQUENT_FAILURES = Faults(mtbf=600.0)
STANDSTILLS = Faults(mean_time_between_pauses=1800.0, mean_pause=60.0)
OUTAGE = Faults(outages=(Outage(at=240.0, seconds=300.0),))
ALL = replace(STRAGGLERS, mtbf=600.0, mean_time_between_pauses=1800.0, outages=OUTAGE.outages)
SKEWED = replace(STRAGGLERS, clock_sigma=60.0)

COLUMNS = (
    "scenario", "makespan", "/ ideal", "utilisation", "waits for database", "tail", "workers ended", "takeovers",
    "nights redone", "refused", "attempts, most", "given up",
)


def base_scenario(figures: Figures, npcs: int, workers: int, databases: int, seed: int) -> Scenario:
    """Returns the night without faults that all scenarios vary."""
    shard = int(figures.number("npcs_a_shard"))
    load = Load(npcs, shard, workers, figures.numbers("shard_seconds"), shard)
    model, night = CostModel(figures), Night(npcs)
    rates = Databases(
        databases,
        nights_s=model.nights_s_of_database(night),
        nights_s_one_worker=model.nights_s_of_database(night, workers=(1,)),
        read_nights_s=figures.number("database_read_nights_s"),
    )
    protocol = Protocol(
        lease=figures.number("lease_s"),
        heartbeat=figures.number("heartbeat_s"),
        max_attempts=int(figures.number("max_attempts")),
        nights_a_commit=int(figures.number("nights_a_commit")),
        patience=figures.number("commit_patience_s"),
    )
    return Scenario("no faults", load, rates, protocol, seed=seed)


def scenarios(base: Scenario) -> Iterator[Scenario]:
    """Yields all scenarios, row by row."""
    yield base
    for name, faults in (
        ("stragglers", STRAGGLERS),
        ("failures, MTBF 1 h", HOURLY_FAILURES),
        ("failures, MTBF 10 min", FREQUENT_FAILURES),
        ("workers stand still, 60 s in the mean", STANDSTILLS),
        ("database away for 5 min", OUTAGE),
        ("all faults", ALL),
    ):
        yield replace(base, name=name, faults=faults)
    yield from _other_protocols(base)
    yield from _other_shapes(replace(base, faults=ALL))
    yield replace(base, name="no faults, one database", databases=replace(base.databases, count=1))


def _other_protocols(base: Scenario) -> Iterator[Scenario]:
    static = replace(base.protocol, assignment=Assignment.STATIC)
    for name, faults in (("stragglers", STRAGGLERS), ("failures, MTBF 10 min", FREQUENT_FAILURES), ("all faults", ALL)):
        yield replace(base, name=f"static shards, {name}", faults=faults, protocol=static)
    expired_first = replace(base.protocol, order=Order.EXPIRED_FIRST)
    yield replace(base, name="run-out leases first, all faults", faults=ALL, protocol=expired_first)
    patient = replace(base.protocol, patience=None)
    yield replace(base, name="database away for 5 min, workers wait", faults=OUTAGE, protocol=patient)
    patient = replace(patient, order=Order.EXPIRED_FIRST)
    yield replace(base, name="the same, run-out leases first", faults=OUTAGE, protocol=patient)
    yield replace(base, name="stragglers, clocks off by 60 s", faults=SKEWED)
    by_worker = replace(base.protocol, clock=Clock.WORKER)
    yield replace(base, name="the same, if workers' clocks judged", faults=SKEWED, protocol=by_worker)


def _other_shapes(base: Scenario) -> Iterator[Scenario]:
    for npcs in (50, 1000):
        yield replace(base, name=f"shards of {npcs}, all faults", load=replace(base.load, npcs_a_shard=npcs))
    for lease in (20.0, 300.0):
        protocol = replace(base.protocol, lease=lease, heartbeat=lease / 3)
        yield replace(base, name=f"lease of {lease:g} s, all faults", protocol=protocol)


def row(result: Result) -> str:
    """Returns the row of a run."""
    tally = result.tally
    cells = (
        result.scenario.name,
        f"{result.makespan:,.0f} s",
        f"{result.makespan / result.ideal:.2f}",
        f"{result.utilisation:.0%}",
        f"{result.database_wait:.1%}",
        f"{result.tail:,.0f} s",
        f"{tally.deaths:,}",
        f"{tally.takeovers:,}",
        f"{tally.redone_nights:,}",
        f"{tally.refused_nights:,}",
        f"{result.max_attempts}",
        f"{tally.given_up_shards}",
    )
    return f"| {' | '.join(cells)} |"


def run(options: argparse.Namespace) -> None:
    """Prints the table, each row as soon as it is known."""
    base = base_scenario(read_figures(options.measured), options.npcs, options.workers, options.databases, options.seed)
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for scenario in scenarios(base):
        if options.only in scenario.name:
            print(row(Simulation(scenario).run()), flush=True)


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Returns the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--npcs", type=int, default=10_000_000)
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--databases", type=int, default=20, help="databases that shards are spread over (20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="TEXT", help="scenarios with this text in their name")
    parser.add_argument("--measured", type=Path, default=DEFAULT_FILE, help="file of figures")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; returns 2 for input that is refused."""
    try:
        run(parse_arguments(arguments))
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
