"""Measures a town as every binding does: pace.py COMMANDS.jsonl NPCS QUESTIONS OPTIONS [ADDRESS TOKEN].

With an address, the town is that of a running ``nightfold serve``. See bindings/conformance/README.md.
"""

import http.client
import json
import sys
import time
from typing import Any
from urllib.parse import urlsplit


class Http:
    """A town of ``nightfold serve`` with the methods of ``nightfold.Town``."""

    def __init__(self, options: dict[str, Any], address: str, token: str) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(address).netloc)
        self.headers = {"Authorization": f"Bearer {token}"}
        self.path = "/v1/towns"
        self.path += "/" + json.loads(self.ask("POST", self.path, json.dumps(options)))["town"]
        self.events: list[str] = []
        self.after = 0

    def ask(self, method: str, path: str, body: str | None = None) -> str:
        self.connection.request(method, path, body, self.headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        if answer.status >= 300:
            raise RuntimeError(text)
        return text

    def do_all(self, commands: list[str]) -> None:
        for begin in range(0, len(commands), 1000):
            self.ask("POST", f"{self.path}/commands", "[" + ",".join(commands[begin : begin + 1000]) + "]")

    def do_json(self, command: str) -> str:
        return self.ask("POST", f"{self.path}/commands", command)

    def next_event_json(self) -> str | None:
        if not self.events:
            told = json.loads(self.ask("GET", f"{self.path}/events?after={self.after}"))["events"]
            self.events = [json.dumps(event["event"], separators=(",", ":")) for event in told]
            self.after = told[-1]["number"] if told else self.after
        return self.events.pop(0) if self.events else None


def main() -> None:
    commands, npcs, questions, options = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4])
    town: Any
    if len(sys.argv) > 5:
        town = Http(options, sys.argv[5], sys.argv[6])
    else:
        import nightfold

        town = nightfold.Town(options, embedder=nightfold.Embedder(threads=1))
    now = 100_000

    def frame(kind: str, pause: float) -> int:
        nonlocal now
        now += 1
        count = 0
        town.do_json(json.dumps({"do": "tick", "now": now}))
        while (event := town.next_event_json()) is not None:
            count += event.startswith(kind)
        if not count:
            time.sleep(pause)
        return count

    begun = time.perf_counter()
    lines = open(commands).read().splitlines()
    if isinstance(town, Http):
        town.do_all(lines)
    else:
        for line in lines:
            town.do_json(line)
    slept = 0
    while slept < npcs:
        slept += frame('{"event":"consolidated"', 0.001)
    rate = npcs / (time.perf_counter() - begun)
    waits = []
    for number in range(questions):
        asked = time.perf_counter()
        town.do_json(json.dumps({"do": "ask", "npc": "Asked", "question": f"What about number {number}?"}))
        while not frame('{"event":"answered"', 0.00025):
            pass
        waits.append((time.perf_counter() - asked) * 1e3)
    waits.sort()
    print(f"{rate:.2f} nights a second, answers {waits[questions // 2]:.1f} ms in the median, {waits[questions * 99 // 100]:.1f} ms at p99")


if __name__ == "__main__":
    main()
