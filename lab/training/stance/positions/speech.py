"""Makes of sentences: subjects and the forms that agree with them, contractions, reports, and what a speaker adds."""
import dataclasses
import re

PRONOUNS = {"f": ("she", "her", "her"), "m": ("he", "his", "him"), "it": ("it", "its", "it"), "I": ("I", "my", "me")}
IRREGULAR = {"be": ("is", "am"), "have": ("has", "have"), "do": ("does", "do"), "go": ("goes", "go")}


@dataclasses.dataclass(frozen=True)
class Subject:
    """Someone or something that a sentence is about."""

    name: str
    kind: str

    @property
    def possessive(self):
        if self.kind == "I":
            return "my"
        return {"she": "her", "he": "his"}.get(self.name, self.name + "'s")

    @property
    def object(self):
        return {"I": "me", "she": "her", "he": "him"}.get(self.name, self.name)

    def verb(self, base):
        """Present form of a verb."""
        if base in IRREGULAR:
            return IRREGULAR[base][self.kind == "I"]
        if self.kind == "I":
            return base
        if re.search(r"(s|x|ch|sh|o)$", base):
            return base + "es"
        return base[:-1] + "ies" if re.search(r"[^aeiou]y$", base) else base + "s"


def said(template, subject, **slots):
    """Sentence of a template: {S} subject, {P} its possessive, {he}, {her}, {him} its pronouns, [verb] a verb that agrees with it."""
    he, her, him = PRONOUNS[subject.kind]
    text = re.sub(r"\[(\w+)\]", lambda found: subject.verb(found[1]), template)
    for name in ("v", "w"):
        if isinstance(slots.get(name), str):
            slots[name + "p"] = slots[name].partition(" ")[2]
    return sentence(text.format(S=subject.name, P=subject.possessive, O=subject.object, he=he, her=her, him=him, **slots))


def sentence(text):
    """Text with a capital and a full stop."""
    text = " ".join(text.split())
    return text[0].upper() + text[1:] + ("" if text[-1] in ".?!\"" else ".")


def clause(text):
    """Sentence as part of another one."""
    text = text.rstrip(".")
    first = text.split(" ", 1)[0]
    return text[0].lower() + text[1:] if first in LOWERED else text


LOWERED = set("""The A An My His Her It He She They We There That This You Your By At In On To From Nobody Everybody Only Two Three What Yesterday
    Today Last For Since Until Right Somebody Anyone Nothing Among Of Each Every""".split())

CONTRACTIONS = [(re.compile(pattern), short) for pattern, short in (
    (r"\bcannot\b|\bcan not\b", "can't"), (r"\b([Ww])ill not\b", r"\1on't"), (r"\b([Ss])hall not\b", r"\1han't"),
    (r"\b(is|are|was|were|does|do|did|has|have|had|would|could|should|must|need) not\b", r"\1n't"),
    (r"\bI am\b", "I'm"), (r"\b(I|[Yy]ou|[Ww]e|[Tt]hey|[Hh]e|[Ss]he|[Ii]t) will\b", r"\1'll"),
    (r"\b([Yy]ou|[Ww]e|[Tt]hey) are\b", r"\1're"), (r"\b(I|[Yy]ou|[Ww]e|[Tt]hey) have (?=been|not|never|\w+ed\b|seen|got|found|lost|sold|made|taken|heard|known)", r"\1've "),
    (r"\b([Hh]e|[Ss]he|[Ii]t|[Tt]hat|[Tt]here|[Ww]ho|[Ww]hat) is\b", r"\1's"), (r"\b([Hh]e|[Ss]he|[Ii]t) has (?=been|never|\w+ed\b|seen|got|found|lost|sold|made|taken|gone|left)", r"\1's "),
    (r"\b(I|[Yy]ou|[Ww]e|[Tt]hey|[Hh]e|[Ss]he) would\b", r"\1'd"), (r"\b([Ll])et us\b", r"\1et's"))]
# Denials that can be drawn together the other way too: "he is not" is "he isn't" or "he's not".
PRONOUN_FIRST = [(re.compile(r"\b([Hh]e|[Ss]he|[Ii]t) is not\b"), r"\1's not"), (re.compile(r"\b([Tt]hey|[Ww]e|[Yy]ou) are not\b"), r"\1're not")]


def contracted(text, rng):
    """Text with its usual contractions, or the text itself where it has none."""
    for pattern, short in (PRONOUN_FIRST if rng.random() < 0.3 else []) + CONTRACTIONS:
        text = pattern.sub(short, text)
    return text


REPORTS = ("{q} told me that {c}", "I heard that {c}", "{q} says that {c}", "They say that {c}", "I learnt today that {c}", "According to {q}, {c}",
           "{q} mentioned over supper that {c}", "Word is that {c}", "{q} let me know that {c}", "Everybody here knows that {c}", "{q} swears that {c}",
           "I was told that {c}")
ASKED = ("{q} asked whether {c}", "{q} wanted to know whether {c}", "I wonder whether {c}", "Nobody could tell me whether {c}", "{q} dreamt that {c}",
         "{q} made a bet on whether {c}", "If {c}, I will hear of it", "I asked {q} whether {c}", "{q} hopes that one day {c}", "{q} joked that {c}")
# What speakers add to a statement that holds, and to a happening.
ADDED_TO_STATES = ("as far as I know", "as everybody here knows", "though few speak of it", "which surprised me at first", "or so it seems to me", "and that has been so for a while",
                   "because {q} wanted it that way", "ever since the big storm", "although {q} will not believe it", "for reasons of which little is said", "and I think that is for the best",
                   "whatever the neighbours may say", "since there was no other way", "which {q} never tires of telling", "as I saw with my own eyes", "and that is all there is to say", "as {q} found out by chance", "now that the winter is over")
ADDED_TO_HAPPENINGS = ("just after dawn", "in the pouring rain", "while the others were still asleep", "because nobody else would", "before the bells rang", "late in the evening",
                       "on the way back from the harbour", "with {q} looking on", "at half past nine", "although my hands were cold", "on Tuesday", "in the yard", "so that {q} would stop complaining",
                       "after a long talk with {q}", "without a word to anybody", "this morning", "last night", "two days ago", "for the second time this week", "in front of everybody")
