"""Tests of the pairs of positions: `python3 -m unittest` in this folder."""
import re
import unittest
from collections import Counter

import words
from families import FAMILIES
from generate import generate

COUNT = 3000


class Positions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.train = list(generate("train", COUNT, 7))
        cls.held = list(generate("held-out", COUNT // 4, 7))
        cls.texts = [text for row in cls.train + cls.held for text in (row["older"], row["newer"])]

    def test_same_seed_gives_same_pairs(self):
        self.assertEqual(list(generate("train", 300, 3)), list(generate("train", 300, 3)))
        self.assertNotEqual(list(generate("train", 300, 3)), list(generate("train", 300, 4)))

    def test_every_family_occurs_and_no_pair_twice(self):
        for rows in (self.train, self.held):
            self.assertEqual({row["family"] for row in rows}, set(FAMILIES))
            self.assertEqual(len({(row["older"], row["newer"]) for row in rows}), len(rows))

    def test_families_of_what_can_stand_side_by_side_hold_no_contradiction(self):
        compatible = ("sides", "others", "several", "ended-elsewhere", "happenings", "then-and-now", "routine", "small-talk")
        labels = Counter(row["label"] for row in self.train if row["family"] in compatible)
        self.assertEqual(set(labels), {"unrelated"})
        self.assertGreater(labels["unrelated"], COUNT // 2)

    def test_slots_and_marks_are_resolved(self):
        self.assertEqual([text for text in self.texts if re.search(r"[{}\[\]|]|\bNone\b|  |\.\.", text)][:5], [])

    def test_texts_begin_with_a_capital_and_end_with_a_mark(self):
        self.assertEqual([text for text in self.texts if not re.match(r"[A-Z].*[.?!]$", text)][:5], [])

    def test_parts_share_no_word_of_the_lists(self):
        for entries in list(words.COMMON.values()) + [words.WOMEN, words.MEN, words.SURNAMES, words.KIN]:
            train, held = (set(words.of_part(entries, part)) for part in words.PARTS)
            self.assertFalse(train & held)
            self.assertEqual(train | held, set(entries))

    def test_held_out_names_occur_in_no_pair_of_the_training(self):
        held = set(words.of_part(words.WOMEN, "held-out") + words.of_part(words.MEN, "held-out"))
        found = [row for row in self.train for text in (row["older"], row["newer"]) if held & set(re.findall(r"[\w-]+", text))]
        self.assertEqual(found[:5], [])


if __name__ == "__main__":
    unittest.main()
