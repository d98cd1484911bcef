"""The wheel as its users meet it: days in every form, plans, questions, a town, and calls that are refused."""

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import nightfold

HERE = Path(__file__).parent
STORY = HERE.parent.parent / "conformance" / "story.jsonl"
#: Lockstep: every event has its tick.
OPTIONS = {"timing": {"lockstep": {"plan_seconds": 10800, "write_seconds": 3600}}, "threads": 1}

DAYS: list[dict[str, Any]] = [
    {"id": "m-1", "npc": "Mara", "at": 28800, "kind": "event", "text": "I swept the common room", "importance": 2},
    {"id": "m-2", "npc": "Mara", "at": 36000, "kind": "chat", "text": "Joss owes Tom 14 silver for the axle", "importance": 8,
     "actors": ["Joss"]},
    {"id": "m-3", "npc": "Tom", "at": 30000, "kind": "event", "text": "I mended the sluice of the mill", "importance": 6},
    {"id": "m-4", "npc": "Tom", "at": 120000, "kind": "event", "text": "Wren sang about the storm", "importance": 5},
]


def test_a_plan_writes_nothing_until_it_is_applied() -> None:
    store = nightfold.Store()
    plan = nightfold.sleep(DAYS, store=store)
    assert len(plan) == 2 and plan.written == 0 and plan.failures == []
    assert "Joss owes Tom 14 silver" in plan.diff()
    assert store.npcs() == []
    assert store.apply(plan) == 2
    assert store.apply(plan) == 0, "applying it again changes nothing"
    assert store.npcs() == ["Mara", "Tom"]
    best = nightfold.recall(store, "Mara", "what does Joss owe?")[0]
    assert best["text"] in store.context("Mara", "what does Joss owe?", 100)
    assert best["id"] == "m-2" and best["actors"] == ["Joss"] and 0 < best["score"] <= 1
    why = nightfold.why(store, "Mara", "m-2")
    assert why["log"][0]["do"] == "store"
    assert [night["npc"] for night in nightfold.undo(store)] == ["Mara", "Tom"]
    assert nightfold.recall(store, "Mara", "what does Joss owe?") == []


def test_vectors_are_shared_by_a_store_that_others_reach() -> None:
    with pytest.raises(nightfold.NightfoldError, match="postgres://") as refused:
        nightfold.Embedder(cache=nightfold.Store())
    assert refused.value.code == "options"


def test_days_come_in_every_form(tmp_path: Path) -> None:
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    file = tmp_path / "days.jsonl"
    file.write_text("".join(json.dumps(memory) + "\n" for memory in DAYS))
    full = [{**memory, "actors": memory.get("actors", [])} for memory in DAYS]
    forms = {
        "path": file,
        "text of a path": str(file),
        "dictionaries": DAYS,
        "iterator": iter(DAYS),
        "pandas": pandas.DataFrame(full),
        "polars": polars.DataFrame(full),
        "arrow": pyarrow.Table.from_pylist(full),
        "batches": pyarrow.RecordBatchReader.from_batches(
            pyarrow.Table.from_pylist(full).schema, pyarrow.Table.from_pylist(full).to_batches()
        ),
    }
    plans = {name: nightfold.sleep(days, by_day=True).to_json() for name, days in forms.items()}
    assert len(set(plans.values())) == 1, {name: len(plan) for name, plan in plans.items()}
    assert json.loads(plans["path"])["nights"][2]["npc"] == "Tom"


def test_results_are_tables() -> None:
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    store = nightfold.Store()
    plan = nightfold.sleep(DAYS, store=store, apply=True)
    assert plan.written == 2
    changes = plan.changes
    rows = changes.to_dicts()
    assert rows == list(changes) and len(rows) == len(changes) > 3
    assert {"npc", "change", "rule", "reason"} <= set(changes.columns)
    assert pyarrow.table(changes).to_pylist() == rows
    assert polars.DataFrame(changes).to_dicts() == rows
    entries = store.entries("Mara")
    assert pyarrow.table(entries).num_rows == len(entries)
    assert pandas.DataFrame(entries.to_dicts())["active"].any()
    empty = nightfold.Store().entries()
    assert len(empty) == 0 and pyarrow.table(empty).num_columns == len(empty.columns)


def test_vectors_are_taken_by_numpy_without_a_copy() -> None:
    numpy = pytest.importorskip("numpy")
    embedder = nightfold.Embedder()
    vectors = embedder.embed(["The mill burned down", "Fire destroyed the mill", "I like soup"])
    array = numpy.asarray(vectors)
    assert array.shape == (3, embedder.dimensions) and array.dtype == numpy.float32 and not array.flags.writeable
    assert numpy.allclose(numpy.linalg.norm(array, axis=1), 1, atol=1e-5)
    assert array[0] @ array[1] > array[0] @ array[2]
    assert vectors.to_lists()[1] == array[1].tolist()
    del vectors
    assert numpy.isfinite(array).all(), "the array keeps its memory alive"


def test_the_command_line_plans_the_same_bytes(tmp_path: Path) -> None:
    program = os.environ.get("NIGHTFOLD_PROGRAM")
    if program is None:
        pytest.skip("NIGHTFOLD_PROGRAM names no command line to compare with")
    file, plan = tmp_path / "days.jsonl", tmp_path / "plan.json"
    file.write_text("".join(json.dumps(memory) + "\n" for memory in DAYS))
    subprocess.run([program, "sleep", file, "--plan", plan], check=True, cwd=tmp_path, capture_output=True)
    assert plan.read_text() == nightfold.sleep(file).to_json() + "\n"


def test_the_story_of_all_bindings_is_told(tmp_path: Path) -> None:
    town = nightfold.Town(OPTIONS)
    saved = plan = ""
    told = []
    for line in STORY.read_text().splitlines():
        try:
            reply = town.do_json(line.replace('"@saved"', saved).replace('"@plan"', plan))
            told.append(reply)
            if reply.startswith('{"saved":'):
                saved = reply[len('{"saved":') : -1]
            if reply.startswith('{"plan":'):
                plan = reply[len('{"plan":') : -1]
        except nightfold.NightfoldError as error:
            told.append(f"refused {error.code}")
        while (event := town.next_event_json()) is not None:
            told.append(event)
    text = "".join(f"{line}\n" for line in told)
    for part in ('"event":"answered"', '"event":"consolidated"', '"why":"woken"', "refused no_night", '"written":1'):
        assert part in text
    expected = os.environ.get("NIGHTFOLD_STORY")
    if expected is None:
        pytest.skip("NIGHTFOLD_STORY names no file with the story as C tells it")
    assert text == Path(expected).read_text()


def test_a_town_lives() -> None:
    town = nightfold.Town({"threads": 0})
    town.do({"do": "spawn", "npc": "Mara", "recalls": True})
    town.do({"do": "live", "npc": "Mara", "memory": {"at": 1, "kind": "chat", "text": "Joss owes Tom silver"}})
    town.do({"do": "sleep", "npc": "Mara", "since": 5, "until": 50})
    events = []
    for now in range(5, 60):
        while town.step(1_000):
            pass
        town.do({"do": "tick", "now": now})
        while (event := town.next_event()) is not None:
            events.append(event["event"])
    assert events == ["fell_asleep", "consolidated", "woke"]


@pytest.mark.parametrize(
    ("call", "code", "says"),
    [
        (lambda: nightfold.Config({"budget": {"storage": 7}}), "options", "storage"),
        (lambda: nightfold.Config({"budget": {"storge": 1}}), "options", "storge"),
        (lambda: nightfold.sleep([{"id": "m-1"}]), "json", "npc"),
        (lambda: nightfold.sleep([{**DAYS[0], "importance": 11}]), "json", "1 to 10"),
        (lambda: nightfold.sleep(DAYS, apply=True), "options", "store"),
        (lambda: nightfold.sleep(DAYS, until="yesterday"), "options", "yesterday"),
        (lambda: nightfold.Store("/no/such/folder/town.db"), "store", "folder"),
        (lambda: nightfold.why(nightfold.Store(), "Mara", "m-9"), "unknown_entry", "m-9"),
        (lambda: nightfold.recall(nightfold.Store(), "", "who?"), "name", "empty"),
        (lambda: nightfold.Store().rewind("slot"), "store", "slot"),
        (lambda: nightfold.Town({"treads": 1}), "json", "treads"),
        (lambda: nightfold.Town().do({"do": "wake", "npc": "Nobody"}), "unknown_npc", "Nobody"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_reason(call: Any, code: str, says: str) -> None:
    with pytest.raises(nightfold.NightfoldError) as refused:
        call()
    assert refused.value.code == code and says in str(refused.value)


def many(npcs: int) -> list[dict[str, Any]]:
    words = ["forge", "mill", "river", "storm", "axle", "silver", "song", "market", "roof", "gate", "bread", "fever"]
    return [
        {"id": f"m-{npc}-{n}", "npc": f"N{npc}", "at": 60 * n, "kind": "event",
         "text": f"The {words[(npc + n) % 12]} and the {words[(npc * 5 + n * 7) % 12]} of number {npc * 50 + n} went by"}
        for npc in range(npcs)
        for n in range(30)
    ]


def test_the_gil_is_released_and_progress_told() -> None:
    ticks, told = [], []
    stop = threading.Event()

    def tick() -> None:
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    nightfold.sleep(many(20), progress=lambda done, of: told.append((done, of)))
    stop.set()
    thread.join()
    gaps = [b - a for a, b in zip(ticks, ticks[1:])]
    assert len(ticks) > 5 and max(gaps) < 1.0
    assert told and told[-1] == (20, 20)


def test_an_interrupt_ends_the_run() -> None:
    def interrupt() -> None:
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    # A process that was started in the background ignores interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    store = nightfold.Store()
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        nightfold.sleep(many(2_000), store=store, apply=True)
    whole = {night["npc"] for night in store.nights()}
    assert len(whole) < 2_000
    assert set(store.npcs()) == whole, "nothing is half written"


def test_an_exception_of_the_progress_ends_the_run() -> None:
    def fail(done: int, of: int) -> None:
        raise RuntimeError(f"at {done} of {of}")

    with pytest.raises(RuntimeError, match="of 60"):
        nightfold.sleep(many(60), progress=fail)


def test_a_store_goes_through_its_lines(tmp_path: Path) -> None:
    store = nightfold.Store(tmp_path / "town.db")
    nightfold.sleep(DAYS, store=store, apply=True)
    store.save_point("slot")
    lines = store.export(tmp_path / "town.jsonl")
    assert (tmp_path / "town.jsonl").read_text() == lines
    with pytest.raises(FileExistsError):
        store.export(tmp_path / "town.jsonl")
    other = nightfold.Store()
    other.import_lines(lines)
    assert other.entries().to_dicts() == store.entries().to_dicts()
    store.undo("Tom")
    assert [rewound["npc"] for rewound in store.rewind("slot")] == []


def test_rows_may_lack_what_is_missing() -> None:
    pandas, polars = (pytest.importorskip(name) for name in ("pandas", "polars"))
    nan = float("nan")
    whole = nightfold.sleep(DAYS).to_json()
    gaps = [{**memory, "actors": memory.get("actors"), "place": None, "emotion": nan} for memory in DAYS]
    assert nightfold.sleep(gaps).to_json() == whole
    assert nightfold.sleep(polars.DataFrame(DAYS)).to_json() == whole
    assert nightfold.sleep(polars.DataFrame(DAYS).to_dicts()).to_json() == whole
    nobody = [{**memory, "actors": []} for memory in DAYS]
    assert nightfold.sleep(polars.DataFrame(nobody)).to_json() == nightfold.sleep(nobody).to_json()
    assert nightfold.sleep(pandas.DataFrame(DAYS).to_dict("records")).to_json() == whole


def test_times_with_a_zone_are_game_times() -> None:
    polars = pytest.importorskip("polars")
    from datetime import datetime, timezone

    at = datetime(1204, 5, 3, 10, 0, tzinfo=timezone.utc)
    days = [{**memory, "at": at, "actors": ["Mara"]} for memory in DAYS]
    text = [{**memory, "at": "1204-05-03T10:00:00Z"} for memory in days]
    expected = nightfold.sleep(text).to_json()
    assert nightfold.sleep(days).to_json() == expected
    assert nightfold.sleep(polars.DataFrame(days)).to_json() == expected


def test_an_arrow_stream_is_read_without_the_gil() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    rows = [{**memory, "actors": memory.get("actors", [])} for memory in DAYS]
    schema = pyarrow.Table.from_pylist(rows).schema

    def batches() -> Any:
        # A producer that needs Python on another thread.
        done = []
        thread = threading.Thread(target=lambda: done.append(pyarrow.RecordBatch.from_pylist(rows, schema)))
        thread.start()
        thread.join(timeout=20)
        yield done[0]

    assert len(nightfold.sleep(pyarrow.RecordBatchReader.from_batches(schema, batches()))) == 2


def test_a_town_is_closed() -> None:
    with nightfold.Town() as town:
        assert town.do({"do": "status"})["status"]["npcs"] == 0
    with pytest.raises(nightfold.NightfoldError) as closed:
        town.do({"do": "status"})
    assert closed.value.code == "no_town"
    with pytest.raises(nightfold.NightfoldError, match="leave embedder out"):
        nightfold.Town({"models": "models"}, embedder=nightfold.Embedder())


def test_everything_says_what_it_is() -> None:
    assert nightfold.sleep.__doc__ and nightfold.Store.recall.__doc__ and nightfold.Town.do.__doc__


@pytest.mark.parametrize("days", [7, {"id": "m-1"}, b"days.jsonl", ["m-1"]])
def test_what_is_no_day_is_a_type_error(days: Any) -> None:
    with pytest.raises(TypeError):
        nightfold.sleep(days)
