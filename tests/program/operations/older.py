"""Writes a store as an earlier version wrote it: older.py EXPORT OLDER FORMAT SCHEMA, the folder of the migration steps."""

import json
import pathlib
import sqlite3
import sys

export, older, format, schema = sys.argv[1], sys.argv[2], int(sys.argv[3]), pathlib.Path(sys.argv[4])
file = sqlite3.connect(older, isolation_level=None)
for step in range(1, format + 1):
    file.executescript((schema / f"{step}.sql").read_text())
file.execute("PRAGMA foreign_keys = ON")
lines = [json.loads(line) for line in open(export, encoding="utf-8")]
file.execute("UPDATE store SET model = ?, last_run = ?", (lines[0]["model"], lines[0]["last_run"]))


def cell(column, value):
    """Returns the value of a line as the older tables hold it."""
    if column in ("numbers", "centre", "known"):
        return bytes.fromhex(value)
    if column in ("valence", "intensity", "tightness") or column == "importance" and isinstance(value, str):
        return value and float(value)
    if (column == "at" or column.endswith("_at")) and value is not None:
        return str(value)
    return value


for line in lines[1:-1]:
    ((table, row),) = line.items()
    npc = row.pop("npc")
    columns = {column[1] for column in file.execute(f"PRAGMA table_info({table})")}
    row = {column: cell(column, value) for column, value in row.items() if column in columns}
    first = "name" if table == "npc" else "npc"
    key = "?" if table == "npc" else "(SELECT key FROM npc WHERE name = ?)"
    marks = ", ?" * len(row)
    names = "".join(f", {column}" for column in row)
    file.execute(f"INSERT INTO {table} ({first}{names}) VALUES ({key}{marks})", (npc, *row.values()))
file.execute(f"PRAGMA application_id = {0x4E464C44}")
file.execute(f"PRAGMA user_version = {format}")
