"""Command line of the pairs of positions: the same arguments always give the same file.

    python3 generate.py --part train --pairs 18000 --out positions.jsonl
    python3 generate.py --part held-out --pairs 860 --tsv --out positions-test.tsv
"""
import argparse
import json
from collections import Counter

from families import FAMILIES
from words import PARTS
from world import World

HEADER = """# Pairs of positions and of what leaves them as they are, generated for this project (lab/training/stance/positions, part `held-out`) and
# under its licence: words and wordings that no training saw. family, category, stance, older statement, newer statement.
"""


def draw(world, family):
    """One pair of a family, drawn until there is one."""
    while True:
        world.move()
        found = family(world)
        if found:
            return found


def generate(part, count, seed, only=None):
    """Yields so many different pairs in random order, the families in their shares."""
    world = World(part, seed)
    chosen = {name: family for name, family in FAMILIES.items() if only is None or name in only}
    whole = sum(share for _, share in chosen.values())
    names = [name for name, (_, share) in chosen.items() for _ in range(round(share * count / whole))]
    world.rng.shuffle(names)
    seen = set()
    for name in names:
        for _ in range(200):
            older, newer, label = draw(world, chosen[name][0])
            if (older, newer) not in seen:
                seen.add((older, newer))
                yield {"older": older, "newer": newer, "label": label, "family": name}
                break


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--part", choices=PARTS, default="train")
    parser.add_argument("--pairs", type=int, default=18000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", help="families that are generated")
    parser.add_argument("--tsv", action="store_true", help="table of the evaluation instead of JSON lines")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    counts = Counter()
    with open(arguments.out, "w", encoding="utf-8") as out:
        if arguments.tsv:
            out.write(HEADER)
        for row in generate(arguments.part, arguments.pairs, arguments.seed, arguments.only):
            if arguments.tsv:
                out.write("\t".join((row["family"], "generated", row["label"], row["older"], row["newer"])) + "\n")
            else:
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
            counts[row["family"], row["label"]] += 1
    for (family, label), number in sorted(counts.items()):
        print(f"{family}\t{label}\t{number}")


if __name__ == "__main__":
    main()
