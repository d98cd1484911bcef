"""Writes the commands of a town for measuring: pace.py NPCS MEMORIES > commands.jsonl.

Every NPC lives through so many memories and sleeps; the NPC "Asked" lives through 1,000 and stays awake.
"""

import json
import random
import sys

WHO = ["Mara", "Tom", "Joss", "Wren", "Odo", "the captain", "the smith", "a stranger"]
DID = ["told me about", "asked for", "mended", "lost", "paid for", "sang about", "carried", "stole"]
WHAT = ["the axle", "the mill's sluice", "fourteen silver", "the north gate", "a barrel of ale", "the storm", "a new ballad", "the lantern"]
WHERE = ["at the market", "by the river", "in the tavern", "on the road", "behind the forge", "at dawn", "after dark", "in the rain"]


def text(number: int) -> str:
    return f"{random.choice(WHO)} {random.choice(DID)} {random.choice(WHAT)} {random.choice(WHERE)}, number {number}"


def memory(npc: str, at: int, number: int) -> None:
    what = {"at": at, "kind": random.choice(["event", "chat"]), "text": text(number), "importance": random.randint(1, 10)}
    print(json.dumps({"do": "live", "npc": npc, "memory": what}))


random.seed(7)
npcs, memories = int(sys.argv[1]), int(sys.argv[2])
for n in range(npcs):
    print(json.dumps({"do": "spawn", "npc": f"N{n}"}))
    for m in range(memories):
        memory(f"N{n}", 60 * m, n * memories + m)
print(json.dumps({"do": "spawn", "npc": "Asked", "recalls": True}))
for m in range(1000):
    memory("Asked", 60 * m, 1_000_000 + m)
print(json.dumps({"do": "tick", "now": 99_999}))
for n in range(npcs):
    print(json.dumps({"do": "sleep", "npc": f"N{n}", "until": 10_000_000}))
