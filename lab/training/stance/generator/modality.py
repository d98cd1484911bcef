"""Operators over statements: reports, doubts, questions, conditions, dreams, lies, beliefs and settings.

An operator takes a clause with marked verbs (see `grammar.py`) and a source of names, and gives
the text of the statement under it, without the capital and the full stop, or `None` where it does
not fit the clause. It is chosen from the table named after what it does to the truth of the
statement.
"""

import re

from grammar import backshifted, bare, is_present, plain, possible, question


NOW = re.compile(r"\b(now|at present|at this moment|any more|no more|no longer|again|still|since|not yet|today)\b")
FIRST_PERSON = re.compile(r"\b(I|me|my|we)\b")


def _frame(pattern, inner=plain, present_only=False):
    """An operator that sets the clause into a pattern with `{s}` for the clause, `{y}` for a person.

    After a colon, or in quotation marks, *I* would be the person who speaks; such a clause is
    rejected.
    """
    quoted = bool(re.search(r"[:\"]", pattern)) and "{y" in pattern and not pattern.startswith("I ")

    def operator(clause, people):
        if present_only and not is_present(clause):
            return None
        body = inner(clause)
        if body is None or (quoted and FIRST_PERSON.search(body)):
            return None
        if re.search("[:;]", body) and not pattern.endswith("{s}"):
            return None
        if pattern.endswith(': "{s}"'):
            body = body[0].upper() + body[1:]
        text = pattern.replace("{s}", body)
        return re.sub(r"\{(y|z)(\.\w+)?\}", lambda m: people(m[1]).form((m[2] or "")[1:]), text)

    return operator


def _may(clause):
    return possible(clause, "may")


def _might(clause):
    return possible(clause, "might")


def _could(clause):
    return possible(clause, "could")


def _once(clause):
    """The clause in the past, unless it speaks of a change or of the present day."""
    return None if NOW.search(clause) else backshifted(clause)


def _asked(clause):
    asked = question(clause)
    return asked and asked[0].upper() + asked[1:] + "?"


def _tag(clause):
    asked = question(clause)
    return asked and asked + "?"


REPORTS = [_frame(pattern) for pattern in (
    "{y} says that {s}", "{y} says {s}", "{y} told me that {s}", "according to {y.o}, {s}",
    "{y} claims that {s}", "{y} swears that {s}", "I heard from {y.o} that {s}", "{y} reports that {s}",
    "{y} assured me that {s}", "{y} let me know that {s}", "{y} mentioned that {s}", "{y} wrote to me that {s}",
    "I was told by {y.o} that {s}", "{y} insists that {s}", "\"{s}\", said {y}", "{y} says: \"{s}\"",
)]

RUMOURS = [_frame(pattern) for pattern in (
    "word is that {s}", "people say that {s}", "everybody says that {s}", "I hear that {s}", "it is said that {s}",
    "they say that {s}", "word has reached me that {s}", "the talk of the town is that {s}",
)]

CONFIRMATIONS = [_frame(pattern) for pattern in (
    "it is true that {s}", "it is a fact that {s}", "I know that {s}", "as I said, {s}", "indeed, {s}",
    "yes, {s}", "I remember that {s}", "as I already knew, {s}", "it is so: {s}",
)]

NEWS = [_frame(pattern) for pattern in (
    "it turned out that {s}", "I have learned that {s}", "I now know that {s}", "the truth is that {s}",
    "in truth, {s}", "now I hear that {s}", "I was wrong: {s}", "as it turns out, {s}", "to my surprise, {s}",
    "I found out that {s}", "I saw with my own eyes that {s}", "it is certain now that {s}", "by now, {s}",
)]

DENIALS = [_frame(pattern) for pattern in (
    "it is not true that {s}", "it is not the case that {s}", "it is false that {s}", "it is wrong to say that {s}",
    "it is untrue that {s}", "it was a mistake to think that {s}", "there is no truth in the claim that {s}",
    "it turned out to be false that {s}", "I was wrong to believe that {s}",
)]

DENIALS_NOW = [_frame(pattern, present_only=True) for pattern in (
    "it is no longer true that {s}", "it is no longer so that {s}", "it is not the case any more that {s}",
    "it used to be true that {s}, but not any more",
)]

POSSIBILITIES = [_frame("{s}", _may), _frame("{s}", _might), _frame("{s}", _could)] + [_frame(pattern) for pattern in (
    "perhaps {s}", "maybe {s}", "it is possible that {s}", "it could be that {s}", "it may be that {s}",
    "possibly {s}", "there is a chance that {s}", "it might be that {s}", "it might be the case that {s}",
)]

HEDGES = POSSIBILITIES + [_frame("{y} thinks that {s}", _might)] + [_frame(pattern) for pattern in (
    "I suspect that {s}", "I am not sure that {s}", "I have a feeling that {s}", "it is not certain that {s}",
    "I cannot rule out that {s}", "{y} suspects that {s}", "I have a hunch that {s}", "it looks to me as though {s}",
)]

QUESTIONS = [
    _frame("{s}", _asked), _frame("{y} asked me: {s}", _asked), _frame("I asked {y.o}: \"{s}\"", _asked),
    _frame("tell me, {y}, {s}", _tag),
] + [_frame(pattern) for pattern in (
    "{y} asked whether {s}", "{y} asked me if {s}", "I asked {y.o} whether {s}", "I wonder whether {s}",
    "{y} wants to know whether {s}", "nobody knows whether {s}", "I would like to know if {s}",
    "{y} has no idea whether {s}", "we argued about whether {s}", "{y} doubts that {s}", "I must find out whether {s}",
)]

CONDITIONS = [_frame(pattern) for pattern in (
    "if {s}, I will tell {y.o}", "if {s}, there will be trouble", "unless {s}, {y} will stay at home",
    "should it be that {s}, {y} will laugh", "if {s}, then {y} is a fool", "{y} will be glad if {s}",
    "suppose that {s}", "I will only go to the feast if {s}", "{y} will pay me if {s}",
    "whether or not {s}, I am going to bed",
)]

DREAMS = [_frame(pattern, backshifted) for pattern in (
    "I dreamt that {s}", "last night I dreamt that {s}", "{y} dreamt that {s}", "I imagined that {s}",
    "in {y.p} story {s}", "in the play {s}", "in my dream {s}", "the bard sang that {s}",
    "I pictured a world in which {s}",
)] + [_frame(pattern) for pattern in (
    "I fear that {s}", "{y} is afraid that {s}", "I hope that {s}", "{y} hopes that {s}", "{y} worries that {s}",
)]

WISHES = [_frame(pattern, backshifted, present_only=True) for pattern in (
    "I wish that {s}", "{y} wishes that {s}", "if only {s}", "it would be nice if {s}", "{y} acts as if {s}",
)]

LIES = [_frame(pattern) for pattern in (
    "{y} lied to me: {s}", "{y} told me the lie that {s}", "{y} lied and said that {s}",
    "{y} spread the lie that {s}", "{y} tried to fool me into believing that {s}",
    "{y} falsely claimed that {s}", "{y} pretended that {s}",
)]

BELIEFS = [_frame(pattern) for pattern in (
    "{y} believes that {s}", "{y} thinks that {s}", "in {y.p} opinion {s}", "{y} is convinced that {s}",
    "{y} supposes that {s}", "{y} takes it for granted that {s}",
)]

PAST_TIMES = [_frame(pattern, _once, present_only=True) for pattern in (
    "last year {s}", "in my childhood {s}", "before the war {s}", "many years ago {s}", "in the old days {s}",
    "two winters ago {s}", "at the time of the great flood {s}", "last summer {s}",
)]

SETTINGS = [_frame(pattern) for pattern in (
    "while I was sweeping the yard, I learned that {s}", "over supper I heard that {s}",
    "in the rain by the well it became clear to me that {s}", "on the way home I noticed that {s}",
    "{y} came running with the news that {s}", "when the market closed, I found out that {s}",
    "I put down my hammer when I heard that {s}", "it made {y.o} cry to hear that {s}",
    "{y} raised a glass and announced that {s}", "I went to see {y.o} and learned there that {s}",
    "after the sermon the priest announced that {s}", "this morning I learned from a letter that {s}",
)]


def _attempt(pattern):
    """An operator over a happening that somebody brings about: a wish, an attempt, a thing not yet done."""

    def operator(clause, people):
        parts = bare(clause)
        if parts is None:
            return None
        subject, verb, past, rest = parts
        text = pattern.format(subject=subject, do=verb + rest, did=past + rest)
        return plain(re.sub(r"\[y(\.o)?\]", lambda m: people("y").form((m[1] or "")[1:]), text))

    return operator


ATTEMPTS = [_attempt(pattern) for pattern in (
    "{subject} <wants> to {do}", "{subject} <tried> to {do} but could not", "{subject} almost {did}",
    "{subject} <refused> to {do}", "{subject} nearly {did}",
    "{subject} <is> thinking about whether to {do}", "{subject} <will> {do} tomorrow",
    "{subject} <hopes> to {do} one day",
    "[y] <fears> that {subject} will {do}",
)]

DESIRES = [_attempt(pattern) for pattern in (
    "{subject} <would> like to {do}", "{subject} <talks> about how nice it would be to {do}",
    "{subject} <is> thinking about whether to {do}", "{subject} <wonders> whether to {do}",
)]


def apply(table, clause, people, rng):
    """Text of the clause under a random operator of a table, or `None` if the one drawn does not fit."""
    return rng.choice(table)(clause, people)
