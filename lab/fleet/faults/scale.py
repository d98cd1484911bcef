"""Measures two workers against one, the price of sharing against one process with a file, and the memory of a worker by the number of NPCs.

    python lab/fleet/faults/scale.py [--only speed memory] [--npcs 2000] [--each 14] [--times 3] [--json FILE]

Every run is cold: a fresh schema or file, whose vectors are its own. Worker 0 is pinned to the first core, worker 1 to the second, one process with a
file to the first; PostgreSQL is pinned to `--server-cores`, or to none, and waits for its disk. The machine must be quiet: the load is told.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import memories
import processes
from setting import PostgresServer, program

QUIET = 1.5
# Share of the cores that others may take while something is measured; it is measured again if they take more.
FOREIGN = 0.03
TRIES = 6
# Distinct NPCs of the town whose size is varied: the rest lives as they do, so that nearly all vectors are there already.
DISTINCT = 40


class Running:
    """A process on a core, with its peak of memory and the time it took."""

    def __init__(self, command: list[str], core: int | None) -> None:
        pinned = command if core is None else ["taskset", "-c", str(core), *command]
        self.begun = time.monotonic()
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 (as long as the process)
        self.process = subprocess.Popen(
            pinned, env=processes.marked({"NIGHTFOLD_VECTOR_CACHE": ""}), stdout=self._log, stderr=self._log
        )
        self.peak = 0
        self.seconds = 0.0
        self.cpu = 0.0

    def done(self) -> bool:
        """Look once; returns true at the end, and notes it."""
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
                if line.startswith("VmHWM"):
                    self.peak = max(self.peak, int(line.split()[1]))
        pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if pid == 0:
            return False
        self.seconds, self.cpu = time.monotonic() - self.begun, usage.ru_utime + usage.ru_stime
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.returncode != 0:
            self._log.seek(0)
            raise RuntimeError(f"exit code {self.process.returncode}: {self._log.read()[-1000:]}")
        return True


def together(commands: list[list[str]], cores: list[int] | None) -> dict[str, Any]:
    """Run processes at once, and return the seconds until the work is done: a worker ends when no shard is left, and one that waited
    for the others asks again only after a while."""
    running = [Running(command, cores[place] if cores else None) for place, command in enumerate(commands)]
    left = list(running)
    while left := [process for process in left if not process.done()]:
        # Seldom: this process shares the cores that it measures.
        time.sleep(0.1)
    return {
        "seconds": min(round(process.seconds, 2) for process in running),
        "ends": [round(process.seconds, 2) for process in running],
        "cpu": [round(process.cpu, 2) for process in running],
        "peak_mib": [round(process.peak / 1024, 1) for process in running],
    }


def of_server(server: PostgresServer) -> list[int]:
    """Return the processes of the server, the first of them first."""
    pid = int(server.sql("SELECT pg_read_file('postmaster.pid', 0, 12)")[0].split()[0])
    return [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]


def server_cpu(server: PostgresServer) -> float:
    """Return the processor time that the server and its children, also those that have ended, have taken."""
    ticks = 0
    for pid in of_server(server):
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            # Of the first process also those of its children that have ended.
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def busy() -> float:
    """Return the processor time of everything on this machine."""
    fields = list(map(int, Path("/proc/stat").read_text().splitlines()[0].split()[1:]))
    # All but idle and waiting for the disk; the times of guests are in those of their users.
    return (sum(fields[:8]) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def undisturbed(server: PostgresServer, commands: list[list[str]], cores: list[int], clean: Callable[[], None]) -> dict[str, Any]:
    """Run processes at once, and again if other programs had more than their share of the cores meanwhile."""
    best: dict[str, Any] = {}
    for _ in range(TRIES):
        load, all_before, server_before = wait_until_quiet(), busy(), server_cpu(server)
        begun, own_before = time.monotonic(), sum(os.times()[:2])
        measured = together(commands, cores)
        took = time.monotonic() - begun
        measured["server_cpu"] = round(server_cpu(server) - server_before, 2)
        own = sum(os.times()[:2]) - own_before
        others = busy() - all_before - sum(measured["cpu"]) - measured["server_cpu"] - own
        measured |= {"load": load, "others": round(others / took / (os.cpu_count() or 1), 3)}
        clean()
        if not best or measured["others"] < best["others"]:
            best = measured
        if best["others"] <= FOREIGN:
            break
        print(f"    disturbed: {json.dumps(measured)}", flush=True)
    return best


def wait_until_quiet() -> float:
    """Wait for a quiet machine, up to two minutes, and return its load."""
    for _ in range(24):
        if os.getloadavg()[0] < QUIET:
            break
        time.sleep(5)
    return round(os.getloadavg()[0], 2)


def worker(pack: Path, store: str, *options: str) -> list[str]:
    arguments = ["sleep", str(pack), "--by-day", "--apply", "--offline", "--threads", "1", "--store", store, *options]
    return [program(), *arguments]


def speed(folder: Path, server: PostgresServer, options: argparse.Namespace) -> dict[str, Any]:
    """Sleep one town by one process with a file, by one worker, and by two, in turn."""
    lines = memories.write_lines(folder / "days.jsonl", memories.town(options.npcs, options.each))
    pack, alone = folder / "day", folder / "alone.db"
    rounds = []
    for number in range(options.times):
        shards = ["--shards", str(options.shards)] if options.shards else []
        packed = together([[program(), "shards", "pack", str(lines), *shards, "--to", str(pack)]], [0])
        measured: dict[str, Any] = {"pack": packed}
        file = [*worker(lines, str(alone)), "--vector-cache", str(folder / "vectors.db")]

        def forget_file() -> None:
            for old in (*folder.glob("alone.db*"), *folder.glob("vectors.db*")):
                old.unlink()

        measured["file"] = undisturbed(server, [file], [0], forget_file)
        for name, workers in (("one", 1), ("two", 2)):
            store = server.address(f"speed{number}{name}")

            def forget_schema(schema: str = store.rpartition("=")[2]) -> None:
                nights = int(server.sql(f"SELECT count(*) FROM {schema}.night")[0])
                assert nights == memories.nights(options.npcs), f"{nights} nights"
                # What the next run must not wait for.
                server.sql(f"DROP SCHEMA {schema} CASCADE")
                server.sql("CHECKPOINT")

            measured[name] = undisturbed(server, [worker(pack, store)] * workers, [0, 1][:workers], forget_schema)
        rounds.append(measured)
        print(number, json.dumps(measured), flush=True)
    times = {name: [measured[name]["seconds"] for measured in rounds] for name in ("pack", "file", "one", "two")}
    speed_up = [one / two for one, two in zip(times["one"], times["two"], strict=True)]
    shared = [pack + one for pack, one in zip(times["pack"], times["one"], strict=True)]
    price = [100 * (one / file - 1) for one, file in zip(shared, times["file"], strict=True)]
    result = {
        "npcs": options.npcs,
        "memories": options.npcs * options.each,
        "shards": options.shards or "as usual",
        "rounds": rounds,
        "speed_up": [round(ratio, 3) for ratio in speed_up],
        "speed_up_median": round(statistics.median(speed_up), 3),
        "overhead_percent": [round(percent, 1) for percent in price],
        "overhead_percent_median": round(statistics.median(price), 1),
    }
    print(json.dumps({name: value for name, value in result.items() if name != "rounds"}), flush=True)
    return result


def memory(folder: Path, server: PostgresServer, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure the peak of memory of two workers, of towns of several sizes."""
    measured = []
    for npcs in options.sizes:
        load = round(os.getloadavg()[0], 2)
        lines = memories.write_lines(folder / "many.jsonl", memories.town(npcs, 10, texts=DISTINCT))
        pack, store = folder / "many", server.address()
        packed = together([[program(), "shards", "pack", str(lines), "--to", str(pack)]], None)
        slept = together([worker(pack, store)] * 2, [0, 1])
        schema = store.rpartition("=")[2]
        nights = int(server.sql(f"SELECT count(*) FROM {schema}.night")[0])
        assert nights == memories.nights(npcs), f"{nights} nights"
        server.sql(f"DROP SCHEMA {schema} CASCADE")
        measured.append({"npcs": npcs, "nights": nights, "load": load, "pack": packed, "workers": slept})
        print(json.dumps(measured[-1]), flush=True)
    return measured


def main() -> int:
    options = arguments()
    result: dict[str, Any] = {}
    folder = Path(tempfile.mkdtemp(prefix="nightfold-scale."))
    try:
        with PostgresServer.start(fsync=True) as server:
            if options.server_cores:
                pin(server, options.server_cores)
            result["load_before"] = wait_until_quiet()
            result["server_cores"] = options.server_cores or "any"
            for name, measure in (("speed", speed), ("memory", memory)):
                if name in (options.only or [name]):
                    result[name] = measure(folder, server, options)
    finally:
        processes.end_all()
        shutil.rmtree(folder)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    return 0


def pin(server: PostgresServer, cores: str) -> None:
    """Pin the server, and what it starts later, to cores."""
    for pid in of_server(server):
        subprocess.run(["taskset", "-a", "-p", "-c", cores, str(pid)], stdout=subprocess.DEVNULL, check=False)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure workers that share a night.")
    parser.add_argument("--only", nargs="+", choices=["speed", "memory"], help="only these")
    parser.add_argument("--npcs", type=int, default=2000, help="NPCs of the town that is slept for speed (2000)")
    parser.add_argument("--each", type=int, default=14, help="memories of each (14)")
    parser.add_argument("--shards", type=int, help="shards of its pack (as many as `shards pack` makes)")
    parser.add_argument("--times", type=int, default=3, help="rounds (3)")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000], help="NPCs of the towns for memory")
    parser.add_argument("--server-cores", help="cores of PostgreSQL, such as 0 (any)")
    parser.add_argument("--json", type=Path, help="file to write the results to")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
