"""Command line that writes pairs in which a word or a short contrast decides.

    python3 substitution.py --seed 3 --pairs 14000 --out pairs.jsonl

The same arguments always give the same file.
"""

import argparse
import json
import random
import re
from collections import Counter

import substitution_scenes as scenes
from grammar import sentence
from noise import roughened
from substitution_builders import SIDES, Drawer, agreeing, denial, polished

SHARES = {"same": 0.30, "contradiction": 0.40, "unrelated": 0.30}
DENIALS = [
    "it is not true that", "it is not the case that", "it is wrong that", "it is untrue that", "it is false that",
    "it is by no means so that",
]
UNITS = ["silver", "coppers", "gold pieces", "silver", "sacks of flour", "barrels of ale", "crowns"]
HERDS = ["sheep", "goats", "hens", "pigs", "barrels", "sacks of grain", "bales of hay", "geese"]
TABLES = {name: scenes.facts(getattr(scenes, name), "||") for name in ("STOCKS", "MUTUAL", "LIVES", "TOWARDS")}
LISTS = {name: scenes.facts(getattr(scenes, name), "||")[0] for name in (
    "OWES", "REPAID", "PAID", "EVENT_COUNTS", "TIMES", "AGAIN", "GONE", "HAUNTS", "HAPPENINGS", "ONE_WAY",
)}
DEEDS = [deed.strip().split("|") for deed in scenes.DEEDS.split(";")]


def debt(drawer, label):
    """A debt: told twice, of another sum, paid back or owed to somebody else."""
    rng, scene = drawer.rng, drawer.scene(amount="amount")
    unit = rng.choice(UNITS)
    older, newer = rng.choice(LISTS["OWES"]), rng.choice(LISTS["OWES"])
    if rng.random() < 0.4:
        newer = older
    after = scene
    if label == "unrelated":
        after = scene.other(rng.choice("ab"))
    elif label == "contradiction" and rng.random() < 0.5:
        newer = rng.choice(LISTS["REPAID"])
    elif label == "contradiction":
        after = scene.other("amount")
    return drawer.put(scene, older, u=unit), drawer.put(after, newer, u=unit)


def payment(drawer, label):
    """A payment or a catch on two occasions, or beside a debt or a stock."""
    rng, scene = drawer.rng, drawer.scene(amount="amount", many="many", few="few")
    marks = {"u": rng.choice(UNITS[:3]), "g": rng.choice(HERDS)}
    counted = rng.random() < 0.5
    table = LISTS["EVENT_COUNTS" if counted else "PAID"]
    older = rng.choice(table)
    newer = older if rng.random() < 0.6 else rng.choice(table)
    if rng.random() < 0.2:
        older = rng.choice(rng.choice(TABLES["STOCKS"])) if counted else older
    return drawer.put(scene, older, **marks), drawer.put(scene.other("amount", "many", "few"), newer, **marks)


def stock(drawer, label):
    """A standing number: told twice, or another number."""
    rng, scene = drawer.rng, drawer.scene(many="many", few="few")
    group, goods = rng.choice(TABLES["STOCKS"]), rng.choice(HERDS)
    older, newer = rng.sample(group, 2) if label == "same" or rng.random() < 0.5 else [rng.choice(group)] * 2
    told = drawer.put(scene, older, g=goods)
    after = scene if label == "same" else scene.other("many", "few")
    return told, drawer.put(after, newer, g=goods)


def repeated(drawer, label):
    """A deed on two occasions, or a part of what was said."""
    rng, scene = drawer.rng, drawer.scene(either=False)
    (past, _, doing), time = parted(rng.choice(DEEDS)), rng.choice(LISTS["TIMES"])
    deed = f"{{a}} {past} {doing}"
    if label == "same":
        return scene.fill(f"{deed} {time}"), scene.fill(deed)
    again = rng.choice(LISTS["AGAIN"])
    older = deed if rng.random() < 0.35 else f"{deed} {time}"
    newer = f"{deed} {again}"
    if rng.random() < 0.35 and older != deed:
        newer = f"{deed} {rng.choice([other for other in LISTS['TIMES'] if other != time])}"
    return scene.fill(older), scene.fill(newer)


def parted(deed):
    """Past form, progressive form and object of a deed of the table."""
    past, rest = deed
    progressive, _, thing = rest.partition(" ")
    return past, progressive, thing


def doing(drawer, label):
    """Two activities in progress."""
    rng, scene = drawer.rng, drawer.scene(either=False)
    first, second = (" ".join(parted(deed)[1:]) for deed in rng.sample(DEEDS, 2))
    if rng.random() < 0.3:
        second = f"{first} {rng.choice(LISTS['AGAIN'][:2])}"
    return scene.fill(f"{{a}} <is> {first}"), scene.fill(f"{{a}} <is> {second}")


def errand(drawer, label):
    """An errand: told twice, or another errand, or an errand beside a home."""
    rng, scene = drawer.rng, drawer.scene(either=False)
    here, there = rng.sample(LISTS["HAUNTS"], 2)
    if label == "same":
        group = rng.choice([group for group in TABLES["TOWARDS"] + TABLES["LIVES"] if len(group) > 1])
        first, second, there = *rng.sample(group, 2), here
    elif rng.random() < 0.25:
        first, second = rng.choice(rng.choice(TABLES["LIVES"])), rng.choice(rng.choice(TABLES["TOWARDS"]))
    else:
        groups = rng.sample(TABLES["TOWARDS"], 2)
        first, second = (rng.choice(group) for group in groups)
        there = here if rng.random() < 0.6 else there
    return tuple(drawer.put(scene, "{a} " + text, p="the " + place) for text, place in ((first, here), (second, there)))


def whereabouts(drawer, label):
    """A lasting stay that changed."""
    rng, scene = drawer.rng, drawer.scene(either=False)
    here, there = rng.sample(LISTS["HAUNTS"], 2)
    group = rng.choice(TABLES["LIVES"])
    if rng.random() < 0.5:
        second, there = rng.choice(LISTS["GONE"]), here
    else:
        second = rng.choice(group)
    clauses = (rng.choice(group), here), (second, there)
    return [drawer.put(scene, "{a} " + text, p="the " + place) for text, place in clauses]


def swapped(drawer, label):
    """Roles exchanged: in a happening, in a relation that runs one way, in one that runs both ways."""
    rng = drawer.rng
    if label == "same":
        group, scene = rng.choice(TABLES["MUTUAL"]), drawer.scene()
        return [scene.fill(text) for text in rng.sample(group, 2)]
    scene = drawer.scene(a="man", b="man") if label == "contradiction" and rng.random() < 0.6 else drawer.scene()
    if label == "contradiction":
        relation = rng.choice(LISTS["ONE_WAY"])
        if scene.filler("a").gender != "m" and re.search(r"father|son|brother|master", relation):
            return None
        text = re.sub(r"^(\w+)", r"{a} <\1>", relation) + " {b.o}"
    else:
        text = hit(rng.choice(LISTS["HAPPENINGS"]))
    return scene.fill(text), scene.swapped("a", "b").fill(text)


def hit(deed):
    """A clause of a deed that `a` did to `b`."""
    stem, tail = re.fullmatch(r"(.*?)( (?:at|across)(?: the)? \w+| home)?", deed).groups()
    return f"{{a}} {stem} {{b.o}}{tail or ''}"


def joined(drawer, label):
    """Two facts joined by *and*, and one or both of them again."""
    rng, parts = drawer.rng, [drawer.scene(a="other", b="other") for _ in range(3)]
    (first, against, one_way), (second, *_), (third, *_) = (drawer.fact(scene) for scene in parts)
    people = [scene.filler(slot).name for scene in parts for slot in "abx"]
    if len(set(people)) < len(people):
        return None
    both = rng.choice(["{} and {}", "{}, and {}", "{}; {}"])
    pair = both.format(*rng.sample([first, second], 2))
    if label == "same":
        return pair, first if rng.random() < 0.7 else both.format(second, first)
    if label == "contradiction":
        ended = rng.choice([against, denial(first) or against])
        return (pair, ended) if one_way or rng.random() < 0.7 else (against, pair)
    return (first, pair) if rng.random() < 0.5 else (pair, both.format(first, third))


def denied(drawer, label):
    """A fact and a denial of it; a denial called a lie."""
    rng, scene = drawer.rng, drawer.scene()
    clause = drawer.fact(scene)[0]
    if label == "contradiction":
        pair = [clause, f"{rng.choice(DENIALS)} {clause}"]
        return pair if rng.random() < 0.7 else pair[::-1]
    lie = denial(clause)
    return lie and (clause, f"{rng.choice(['it is a lie that', 'the lie goes round that'])} {lie}")


def excluded(drawer, label):
    """Two sides of which only one can hold: across them, or one side in two wordings."""
    first, second, one_way = drawer.rng.choice(SIDES)
    scene = drawer.scene()
    if label == "same":
        return [scene.fill(text) for text in drawer.rng.sample(first if one_way else drawer.rng.choice([first, second]), 2)]
    if label == "unrelated":
        if re.search(r"<(owns|leads|keeps|works)>", first[0]):
            return None
        slot = drawer.rng.choice([slot for slot in "abx" if f"{{{slot}" in "".join(first[:1] + second[:1])])
        older = scene.fill(drawer.rng.choice(first))
        return older, scene.other(slot).fill(drawer.rng.choice(drawer.rng.choice([first, second])))
    pair = [scene.fill(drawer.rng.choice(side)) for side in (first, second)]
    return pair if one_way or drawer.rng.random() < 0.6 else pair[::-1]


BUILDERS = {
    "same": {
        Drawer.thing: 28, Drawer.trait: 12, Drawer.trade: 3, Drawer.exclusive: 6, Drawer.synonym: 28, debt: 6, stock: 3,
        repeated: 3, errand: 4, swapped: 3, joined: 7, excluded: 13,
    },
    "contradiction": {
        Drawer.thing: 40, Drawer.trait: 14, Drawer.trade: 4, Drawer.exclusive: 16, debt: 14, stock: 5, whereabouts: 5,
        swapped: 3, joined: 5, denied: 5, excluded: 12,
    },
    "unrelated": {
        Drawer.happening: 26, Drawer.which: 20, debt: 6, payment: 12, repeated: 13, doing: 6, errand: 12, swapped: 6,
        joined: 7, denied: 3, excluded: 6,
    },
}


def draw(drawer, label):
    """One pair of the label, or `None` if the builder drawn has nothing to say."""
    builders = BUILDERS[label]
    build = drawer.rng.choices(list(builders), list(builders.values()))[0]
    clauses = build(drawer, label)
    if not clauses:
        return None
    older, newer = (polished(agreeing(clause)) for clause in clauses)
    if older.lower() == newer.lower():
        return None
    older, newer = (roughened(sentence(text), drawer.rng) for text in (older, newer))
    return {"older": older, "newer": newer, "label": label, "family": "substitution", "category": build.__name__}


def generate(seed, count):
    """Yields `count` different pairs, in random order, the labels in the shares of `SHARES`."""
    rng = random.Random(f"substitution {seed}")
    drawer = Drawer(rng)
    labels = [label for label, share in SHARES.items() for _ in range(round(share * count))]
    labels = (labels + ["unrelated"] * count)[:count]
    rng.shuffle(labels)
    seen = set()
    for label in labels:
        pair = None
        while pair is None or (pair["older"], pair["newer"]) in seen:
            pair = draw(drawer, label)
        seen.add((pair["older"], pair["newer"]))
        yield pair


def main():
    """Writes the file and prints how often each label and category occurs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=14000)
    parser.add_argument("--out", required=True, help="file of JSON lines to write")
    arguments = parser.parse_args()
    counts = {"label": Counter(), "category": Counter()}
    with open(arguments.out, "w", encoding="utf-8") as out:
        for pair in generate(arguments.seed, arguments.pairs):
            out.write(json.dumps(pair, ensure_ascii=False) + "\n")
            for field, counter in counts.items():
                counter[pair[field]] += 1
    for field, counter in counts.items():
        print(f"{field}: " + ", ".join(f"{name} {number}" for name, number in counter.most_common()))


if __name__ == "__main__":
    main()
