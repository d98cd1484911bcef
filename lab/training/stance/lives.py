"""Pairs of the lives in `lives/`: each statement with those before it, labelled by the key of its life.

A file has, separated by tabs: `m id day kind text` for each memory in the order of time; then `c older newer question` where the newer one ends
a position of the older one, `s older newer` where it tells nothing new, `d older newer` where either is right. All other pairs are unrelated:
of those the nearest are taken, and some at random.
"""
import argparse
import json
import pathlib
import random

import numpy as np
import torch
from transformers import AutoTokenizer

from measure import probabilities
from talk import vectors
from train import Stance

HERE = pathlib.Path(__file__).resolve().parent
# Least cosine of the pairs among which hard ones are sought, and how many others are taken.
NEAR_FROM, EASY_PAIRS = 0.3, 5000


class Memory:
    """Memory of a life: its text, and the text as it is judged, which names who speaks."""

    def __init__(self, name, day, kind, text):
        self.name, self.day, self.kind, self.speaker = name, int(day), kind, ""
        self.judged = text.strip()
        if kind == "chat" and ": " in text:
            self.speaker, text = text.split(": ", 1)
        self.text = text.strip()


class Life:
    """Memories in order, and the label of each pair that the key names."""

    def __init__(self, path):
        self.memories, self.labels, self.questions = [], {}, {}
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            mark, *cells = line.split("\t")
            if mark == "m":
                self.memories.append(Memory(*cells))
            else:
                self.labels[cells[0], cells[1]] = {"c": "contradiction", "s": "same", "d": None}[mark]
                if mark == "c":
                    self.questions[cells[0], cells[1]] = cells[2]


def hard_pairs(lives, near, weights, model, rng):
    """Rows of all lives: what the keys label, twice, and of the other pairs that are near those that the weights take for something, and some at random."""
    net = Stance(model)
    net.load_state_dict(torch.load(weights))
    labelled, free, start = [], [], 0
    for life in lives:
        own = near[start:start + len(life.memories)]
        start += len(life.memories)
        likeness = own @ own.T
        for at, newer in enumerate(life.memories):
            for before, older in enumerate(life.memories[:at]):
                label = life.labels.get((older.name, newer.name), "unrelated")
                if label and label != "unrelated":
                    labelled.append((older.judged, newer.judged, label))
                elif label and likeness[at, before] >= NEAR_FROM:
                    free.append((older.judged, newer.judged, label))
    found = probabilities(net, AutoTokenizer.from_pretrained(model), [row[:2] for row in free])
    is_hard = (found[:, 2] >= 0.08) | (found[:, 0] >= 0.3)
    easy = [row for row, hard in zip(free, is_hard) if not hard]
    return labelled * 2 + [row for row, hard in zip(free, is_hard) if hard] + rng.sample(easy, min(len(easy), EASY_PAIRS))


def pairs_of(life, near, rng, most):
    """Rows of one life: all that the key labels, and of the other pairs some of each memory's nearest and one at random."""
    likeness = near @ near.T
    rows = []
    for at, newer in enumerate(life.memories):
        free = []
        for before, older in enumerate(life.memories[:at]):
            key = (older.name, newer.name)
            if key in life.labels:
                if life.labels[key]:
                    rows.append((older.judged, newer.judged, life.labels[key]))
            else:
                free.append((likeness[at, before], older.judged))
        free.sort(reverse=True)
        chosen = free[:most] + rng.sample(free[most:], min(1, len(free[most:])))
        rows += [(older, newer.judged, "unrelated") for _, older in chosen]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--model", required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--most", type=int, default=9, help="near pairs of each memory that the key does not name")
    parser.add_argument("--leave-out", nargs="*", default=[], help="names of lives kept for choosing")
    parser.add_argument("--only", nargs="*", default=[], help="names of lives; without them all")
    parser.add_argument("--hard", help="weights: of the unlabelled pairs take those that these get wrong")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tsv", action="store_true", help="table of the evaluation instead of JSON lines")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    rng = random.Random(arguments.seed)
    paths = [path for path in sorted((HERE / "lives").glob("*.tsv"))
             if path.stem not in arguments.leave_out and (not arguments.only or path.stem in arguments.only)]
    lives = [Life(path) for path in paths]
    texts = [memory.text for life in lives for memory in life.memories]
    near = np.array(vectors(texts, arguments.model))
    if arguments.hard:
        rows = [("life", *row) for row in hard_pairs(lives, near, arguments.hard, arguments.model, rng)]
    else:
        rows, start = [], 0
        for path, life in zip(paths, lives):
            own = near[start:start + len(life.memories)]
            start += len(life.memories)
            rows += [(f"life-{path.stem}", *row) for row in pairs_of(life, own, rng, arguments.most)]
    with open(arguments.out, "w", encoding="utf-8") as out:
        for family, older, newer, label in rows:
            row = {"older": older, "newer": newer, "label": label, "family": family}
            out.write("\t".join((family, "life", label, older, newer)) + "\n" if arguments.tsv else json.dumps(row, ensure_ascii=False) + "\n")
    print(len(rows), "pairs of", len(lives), "lives")


if __name__ == "__main__":
    main()
