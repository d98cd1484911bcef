"""Command line of the generator: writes labelled pairs of sentences, one JSON object a line.

    python3 generate.py --seed 1 --pairs 40000 --part train --out pairs.jsonl

The same arguments always give the same file.
"""

import argparse
import json
import random
from collections import Counter

from builders import BUILDERS
from grammar import sentence
from maker import Maker
from noise import roughened
from schemas import SCHEMAS
from worlds import PARTS, World

SHARES = {"same": 0.27, "contradiction": 0.33, "unrelated": 0.40}
HELD_OUT_WEIGHT = 3


def schemas_of(part):
    """Schemas a part may use, with their weights: `train` does without those held out."""
    if part == "train":
        return {schema.name: (schema, 1) for schema in SCHEMAS if not schema.held_out}
    return {schema.name: (schema, HELD_OUT_WEIGHT if schema.held_out else 1) for schema in SCHEMAS}


def draw(label, world, part, schema):
    """One pair of the label, or `None` if the builder drawn has nothing to say of the schema."""
    builders = BUILDERS[label]
    builder = world.rng.choices(list(builders), list(builders.values()))[0]
    pair = builder(Maker(schema, world, part))
    if not pair or not pair[0] or not pair[1]:
        return None
    older, newer, category = pair
    if older.lower() == newer.lower():
        return None
    older, newer = (roughened(sentence(text), world.rng) for text in (older, newer))
    family = "occasions" if category.endswith(("occasion", "occasions")) else schema.name
    return {"older": older, "newer": newer, "label": label, "family": family, "category": category}


def generate(seed, count, part):
    """Yields `count` different pairs, in random order, the labels in the shares of `SHARES`."""
    rng = random.Random(f"{seed} {part}")
    world = World(part, rng)
    labels = [label for label, share in SHARES.items() for _ in range(round(share * count))]
    labels = (labels + ["unrelated"] * count)[:count]
    rng.shuffle(labels)
    choices = list(schemas_of(part).values())
    weights = [weight for _, weight in choices]
    seen = set()
    for label in labels:
        pair = None
        while pair is None or (pair["older"], pair["newer"]) in seen:
            schema = rng.choices(choices, weights)[0][0]
            pair = draw(label, world, part, schema)
        seen.add((pair["older"], pair["newer"]))
        yield pair


def main():
    """Writes the file and prints how often each label, family and category occurs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=40000)
    parser.add_argument("--part", choices=PARTS, default="train")
    parser.add_argument("--out", required=True, help="file of JSON lines to write")
    arguments = parser.parse_args()
    counts = {"label": Counter(), "family": Counter(), "category": Counter()}
    with open(arguments.out, "w", encoding="utf-8") as out:
        for pair in generate(arguments.seed, arguments.pairs, arguments.part):
            out.write(json.dumps(pair, ensure_ascii=False) + "\n")
            for field, counter in counts.items():
                counter[pair[field]] += 1
    for field, counter in counts.items():
        print(f"{field}: " + ", ".join(f"{name} {number}" for name, number in counter.most_common()))


if __name__ == "__main__":
    main()
