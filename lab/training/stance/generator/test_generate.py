"""Tests of the generator: `python3 -m unittest` in this folder."""

import re
import unittest
from collections import Counter

import grammar
import worlds
from generate import SHARES, generate
from scene import SLOT
from schemas import SCHEMAS, groups
from schemas.occasions import ACTIVITIES, DEEDS, WEATHER
from substitution import SHARES as SUBSTITUTED
from substitution import generate as substituted

COUNT = 4000
NUMBER = re.compile(r"\b(\d+|" + "|".join(worlds.number_word(n) for n in range(60, 1, -1)) + r")\b")


def vocabulary(part):
    """Words and phrases of a part, of all lists that are not common to both."""
    lists = [words for _, words in worlds.LISTS.values()]
    lists += [worlds.MEN, worlds.WOMEN, worlds.ROLES, worlds.STRANGERS, worlds.KIN_M, worlds.KIN_F]
    entries = (entry for words in lists for entry in worlds.share(words, part))
    return {re.sub(r"^(in|at|under|behind|beneath) ", "", entry).removeprefix("the ") for entry in entries}


class GeneratedPairs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pairs = list(generate(7, COUNT, "train")) + list(generate(7, COUNT // 4, "held"))
        cls.texts = [text for pair in cls.pairs for text in (pair["older"], pair["newer"])]

    def reject(self, pattern, flags=0):
        """Fails if a text matches the pattern."""
        found = [text for text in self.texts if re.search(pattern, text, flags)]
        self.assertEqual(found[:5], [])

    def test_same_seed_gives_same_pairs(self):
        self.assertEqual(list(generate(3, 300, "train")), list(generate(3, 300, "train")))
        self.assertNotEqual(list(generate(3, 300, "train")), list(generate(4, 300, "train")))

    def test_labels_are_in_their_shares(self):
        counts = Counter(pair["label"] for pair in self.pairs)
        for label, share in SHARES.items():
            self.assertAlmostEqual(counts[label] / len(self.pairs), share, delta=0.01)

    def test_no_pair_occurs_twice(self):
        for part in worlds.PARTS:
            pairs = [(pair["older"], pair["newer"]) for pair in generate(5, 2000, part)]
            self.assertEqual(len(pairs), len(set(pairs)))

    def test_every_schema_occurs(self):
        families = {pair["family"] for pair in self.pairs}
        self.assertEqual({schema.name for schema in SCHEMAS} - families, set())

    def test_slots_choices_and_marks_are_resolved(self):
        self.reject(r"[{}<>|()\[\]=]")
        self.reject(r"\bNone\b")

    def test_spacing_and_punctuation(self):
        self.reject(r"  |\s$|^\s| [.,;:?]|\.\.|,,")

    def test_texts_begin_with_a_capital_or_are_in_lower_case(self):
        for text in self.texts:
            first = text.lstrip('"')[0]
            self.assertTrue(first.isupper() or first.isdigit() or text == text.lower(), text)

    def test_articles_agree(self):
        self.reject(r"\ba [aeio]", re.IGNORECASE)
        self.reject(r"\ban [^aeiouh]", re.IGNORECASE)

    def test_verbs_agree_with_i(self):
        self.reject(r"(^|that |if |whether |, )I (is|are|has|does|owes|were|lives|trusts|hates|keeps)\b")
        self.reject(r"(,|;|that|if|whether) (and )?I (has|is)\b")
        self.reject(r"\bI (no longer|never|still|only|finally) (has|is|does|hates|trusts|owes|lives|works|keeps)\b")
        self.reject(r"^[A-Z]\w+ and I('m| am)\b")
        self.reject(r"\b[A-Z][a-z]+ am\b|^(me|him|them) (is|am|are|was|has|owes)\b")

    def test_same_adds_no_number(self):
        for pair in self.pairs:
            if pair["label"] == "same":
                numbers = [
                    {word if word.isdigit() else str(WORDS[word]) for word in NUMBER.findall(text.lower())}
                    for text in (pair["older"], pair["newer"])
                ]
                self.assertLessEqual(numbers[1] - {"1"}, numbers[0], pair)

    def test_same_adds_no_name(self):
        names = re.compile(r"\b(" + "|".join(worlds.MEN + worlds.WOMEN + worlds.TOWNS) + r")\b", re.IGNORECASE)
        for pair in self.pairs:
            if pair["label"] == "same":
                older, newer = ({name.lower() for name in names.findall(pair[side])} for side in ("older", "newer"))
                self.assertLessEqual(newer, older, pair)


WORDS = {worlds.number_word(n): n for n in range(2, 61)}


class Vocabulary(unittest.TestCase):
    def test_parts_share_no_names_or_things(self):
        self.assertEqual(vocabulary("train") & vocabulary("held"), set())

    def test_parts_share_no_endings(self):
        for schema in SCHEMAS:
            if not schema.held_out:
                train, held = (set(groups(schema.ending, schema, part)) for part in worlds.PARTS)
                self.assertEqual(train & held, set())

    def test_every_list_has_two_entries_in_either_part(self):
        for kind, (_, words) in worlds.LISTS.items():
            for part in worlds.PARTS:
                self.assertGreaterEqual(len(worlds.share(words, part)), 2, kind)


class SubstitutedWords(unittest.TestCase):
    def test_pairs_are_distinct_clean_and_in_their_shares(self):
        pairs = list(substituted(3, 2000))
        texts = [text for pair in pairs for text in (pair["older"], pair["newer"])]
        self.assertEqual(len({(pair["older"], pair["newer"]) for pair in pairs}), len(pairs))
        self.assertEqual([text for text in texts if re.search(r"[{}<>|()\[\]=@!]|  | [.,;:]|\ba (?!one)[aeio]|\n", text)][:5], [])
        for label, share in SUBSTITUTED.items():
            self.assertAlmostEqual(sum(pair["label"] == label for pair in pairs) / len(pairs), share, delta=0.01)

    def test_same_seed_gives_same_pairs(self):
        self.assertEqual(list(substituted(3, 200)), list(substituted(3, 200)))


class Wordings(unittest.TestCase):
    def test_every_marked_verb_is_known(self):
        for schema in SCHEMAS:
            blocks = (schema.parts, schema.ending, schema.back, schema.other, schema.stays, schema.more)
            wordings = [*schema.holds, *schema.ended, *(text for block in blocks for group in block for text in group)]
            for wording in wordings:
                for mark in grammar.MARK.finditer(wording):
                    grammar.analyse(mark[2], bool(mark[1]))

    def test_paraphrases_name_the_same_slots(self):
        for schema in SCHEMAS:
            blocks = (schema.parts, schema.ending, schema.back, schema.other, schema.stays)
            for group in (schema.holds, schema.ended, *(group for block in blocks for group in block)):
                slots = {frozenset(slot for slot, _ in SLOT.findall(wording)) for wording in group}
                self.assertLessEqual(len(slots), 1, group)

    def test_occasions_have_paraphrases(self):
        for group in (*ACTIVITIES, *DEEDS, *WEATHER):
            self.assertGreaterEqual(len(group), 2, group)

    def test_schemas_have_enough_wordings(self):
        for schema in SCHEMAS:
            self.assertGreaterEqual(len(schema.holds), 4, schema.name)
            self.assertTrue(schema.stays and schema.more, schema.name)
            self.assertTrue(schema.ending or schema.other or "event" in schema.topics, schema.name)


class Clauses(unittest.TestCase):
    def test_negation(self):
        for clause, denial in {
            "Tom <owes> me silver": "Tom does not owe me silver",
            "I <owe> Tom silver": "I do not owe Tom silver",
            "the gate <is> open": "the gate is not open",
            "Tom <has> left": "Tom has not left",
            "Tom <=has> a dog": "Tom does not have a dog",
            "Tom <stole> the ring": "Tom did not steal the ring",
            "Tom <is> no longer here": None,
        }.items():
            self.assertEqual(grammar.negated(clause), denial)

    def test_possibility_question_and_past(self):
        self.assertEqual(grammar.possible("Tom <stole> it", "may"), "Tom may have stolen it")
        self.assertEqual(grammar.question("I <owns> it"), "do I own it")
        self.assertEqual(grammar.backshifted("Tom <has> left and <is> at sea"), "Tom had left and was at sea")
        self.assertEqual(grammar.still("I <is> ill"), "I am still ill")

    def test_agreement(self):
        self.assertEqual(grammar.plain("Tom and I <are> friends"), "Tom and I are friends")
        self.assertEqual(grammar.plain("Tom <is> ill, and I <=has> no money"), "Tom is ill, and I have no money")
        self.assertEqual(grammar.plain("I no longer <=has> it"), "I no longer have it")


if __name__ == "__main__":
    unittest.main()
