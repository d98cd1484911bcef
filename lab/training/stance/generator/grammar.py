"""Inflection and rearrangement of English clauses.

A clause is a string whose finite verbs are marked, `Tom <owes> me 5 silver`. A marked verb is
written in the third person singular, in the plural (`<are>`) or in the past; `<=has>` is *have* as
a full verb, `<has>` the auxiliary. The functions below give the plain clause, its negation, a
question, a possibility or its past. Those that cannot do so for a clause return `None`.
"""

import re

MARK = re.compile(r"<(=?)([A-Za-z]+)>")
ADVERB = "still|now|only|never|always|often|finally|flatly|no longer|once more"
SUBJECT_I = re.compile(rf"(?<![A-Za-z] and )\bI( ({ADVERB}))?\s*$")
NEGATIVE = re.compile(
    r"\b(not|no|never|only|nobody|nothing|none|neither|hardly|cannot|without|no longer|any more|out of)\b"
)

IRREGULAR = """
admit admitted admitted; be was been; bear bore borne; become became become; begin began begun; blow blew
blown; break broke broken; bring brought brought; build built built; burn burnt burnt; burst burst burst; buy
bought bought; catch caught caught; choose chose chosen; come came come; cost cost cost; dig dug dug; do did
done; draw drew drawn; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed fed;
feel felt felt; fight fought fought; find found found; flee fled fled; fly flew flown; forbid forbade
forbidden; forgive forgave forgiven; get got got; give gave given; go went gone; hang hung hung; have had had;
hide hid hidden; hit hit hit; hold held held; keep kept kept; know knew known; lay laid laid; leave left left;
lend lent lent; let let let; lie lay lain; light lit lit; lose lost lost; make made made; meet met met;
overthrow overthrew overthrown; pay paid paid; put put put; read read read; rebuild rebuilt rebuilt; repay
repaid repaid; ride rode ridden; rise rose risen; run ran run; say said said; see saw seen; sell sold sold;
send sent sent; set set set; shake shook shaken; shoot shot shot; shut shut shut; sing sang sung; sink sank
sunk; sit sat sat; sleep slept slept; speak spoke spoken; spend spent spent; spread spread spread; stand stood
stood; steal stole stolen; strike struck struck; swear swore sworn; sweep swept swept; take took taken; teach
taught taught; tear tore torn; tell told told; think thought thought; throw threw thrown; wear wore worn; weep
wept wept; win won won; withdraw withdrew withdrawn; write wrote written
"""

REGULAR = """
abandon allow abolish accuse admire adore agree announce annul argue arrive ask attack back bake banish bar bathe
believe belong betray borrow breathe bury call cancel carry carve celebrate change cheat chop clean clear
climb close collapse collect complain confess consider cook copy count cover cross cure curse dance decide
declare deliver desert despise destroy detest die dine disagree discover dislike disown distrust divorce
double drag drop drown dwell earn empty end envy escape escort exist expect expel extinguish fear fetch fill
finish fish fix flood free gamble govern guard hand hate help hire hope hug hum imagine inherit intend invent
join joke kick kill laugh learn lift like live loathe lock look love marry melt mend move name need nod notice
offer open oppose owe own pack paint pass pick pity plan plant play poison polish praise prefer prepare
pretend promise prove purchase push quarrel raise rattle reach receive recover refuse release remain remember
renounce reopen repair replace reschedule rescue resign retire return reveal rob rule sail save scold scrape
scratch scrub seal search seize separate serve settle share sharpen shout show side sign slam slip smash
sneeze spill spoil stab start step stop strip stumble suffer support surrender swap talk test thank threaten
trade travel trip trust try tumble turn unlock upgrade use visit wait walk want warn watch water wave weigh
welcome whistle wonder work
"""

AUXILIARIES = {
    "am": "be", "is": "be", "are": "be", "was": "be", "were": "be",
    "has": "have", "have": "have", "had": "have",
    "will": "will", "would": "will", "can": "can", "could": "can", "must": "must",
    "cannot": "cannot",
}
SHIFTED = {"will": "would", "can": "could", "cannot": "could not", "must": "had to"}
NEGATED = {"will": "will not", "would": "would not", "can": "cannot", "could": "could not", "must": "must not"}


def third_person(lemma):
    """Third person singular of a full verb."""
    if lemma in ("be", "have", "do", "go"):
        return {"be": "is", "have": "has", "do": "does", "go": "goes"}[lemma]
    if re.search(r"(s|sh|ch|x|z)$", lemma):
        return lemma + "es"
    if re.search(r"[^aeiou]y$", lemma):
        return lemma[:-1] + "ies"
    return lemma + "s"


def regular_past(lemma):
    """Past of a regular verb, in British spelling."""
    if lemma.endswith("e"):
        return lemma + "d"
    if re.search(r"[^aeiou]y$", lemma):
        return lemma[:-1] + "ied"
    single_syllable = len(re.findall(r"[aeiouy]+", lemma)) == 1
    if re.search(r"[^aeiou][aeiou][bdgklmnprt]$", lemma) and (single_syllable or lemma.endswith("l")):
        return lemma + lemma[-1] + "ed"
    return lemma + "ed"


def _tables():
    pasts, participles, forms = {}, {}, {}
    for entry in IRREGULAR.replace("\n", " ").split(";"):
        lemma, past, participle = entry.split()
        pasts[lemma], participles[lemma] = past, participle
    for lemma in REGULAR.split():
        pasts[lemma] = participles[lemma] = regular_past(lemma)
    for lemma in pasts:
        forms.setdefault(lemma, (lemma, "plural"))
    for lemma, past in pasts.items():
        forms[past] = (lemma, "past")
    for lemma in pasts:
        forms[third_person(lemma)] = (lemma, "present")
    return pasts, participles, forms


PASTS, PARTICIPLES, FORMS = _tables()


def analyse(form, full):
    """Lemma and tense (`present`, `plural` or `past`) of a marked verb."""
    if form in AUXILIARIES and not full:
        tense = "past" if form in ("was", "were", "had", "would", "could") else "present"
        return AUXILIARIES[form], tense
    if form not in FORMS:
        raise ValueError(f"verb {form!r} is not in the tables of grammar.py")
    return FORMS[form]


def _is_auxiliary(form, full):
    return form in AUXILIARIES and not full


def _agree(form, full, before):
    """The verb as it stands after the words `before`."""
    if not SUBJECT_I.search(before):
        return form
    if _is_auxiliary(form, full):
        return {"is": "am", "are": "am", "has": "have", "were": "was"}.get(form, form)
    lemma, tense = analyse(form, full)
    return form if tense == "past" else lemma


def plain(clause):
    """The clause as it is, its verbs agreeing with *I* where *I* is the subject."""
    return MARK.sub(lambda m: _agree(m[2], bool(m[1]), clause[: m.start()]), clause)


def _single(clause):
    """The only marked verb as (before, form, full, after), or `None`."""
    marks = list(MARK.finditer(clause))
    if len(marks) != 1:
        return None
    mark = marks[0]
    return clause[: mark.start()], mark[2], bool(mark[1]), clause[mark.end():]


def negated(clause):
    """Denial of a clause with one finite verb and no negative word."""
    parts = _single(clause)
    if parts is None or NEGATIVE.search(clause):
        return None
    before, form, full, after = parts
    if re.match(r" (already|still|now)\b", after):
        return None
    after = re.sub(r"\b(some|something)\b", lambda m: m[0].replace("some", "any"), after)
    if _is_auxiliary(form, full):
        form = _agree(form, full, before)
        return before + NEGATED.get(form, form + " not") + after
    lemma, tense = analyse(form, full)
    helper = {"past": "did", "plural": "do"}.get(tense, "does")
    if helper == "does" and _agree(form, full, before) == lemma:
        helper = "do"
    return f"{before}{helper} not {lemma}{after}"


def never(clause):
    """Denial of a past clause by *never*."""
    parts = _single(clause)
    if parts is None or NEGATIVE.search(clause):
        return None
    before, form, full, after = parts
    if form in ("was", "were", "has", "had") and not full:
        return f"{before}{_agree(form, full, before)} never{after}"
    if not _is_auxiliary(form, full) and analyse(form, full)[1] == "past":
        return f"{before}never {form}{after}"
    return None


def possible(clause, modal):
    """The clause under a modal such as *may* or *might*."""
    parts = _single(clause)
    if parts is None or NEGATIVE.search(clause):
        return None
    before, form, full, after = parts
    lemma, tense = analyse(form, full)
    if lemma in ("will", "can", "must"):
        return None
    if lemma == "have" and not full:
        return f"{before}{modal} have{after}"
    if tense == "past":
        return f"{before}{modal} have {PARTICIPLES[lemma]}{after}"
    return f"{before}{modal} {lemma}{after}"


def question(clause):
    """Yes-or-no question of a clause that begins with its subject."""
    parts = _single(clause)
    if parts is None or NEGATIVE.search(clause) or "," in parts[0]:
        return None
    before, form, full, after = parts
    subject = before.strip()
    if _is_auxiliary(form, full):
        return f"{_agree(form, full, before)} {subject}{after}"
    lemma, tense = analyse(form, full)
    helper = {"past": "did", "plural": "do"}.get(tense, "does")
    if subject == "I" and helper == "does":
        helper = "do"
    return f"{helper} {subject} {lemma}{after}"


def backshifted(clause):
    """The clause as it stands after a verb of the past: *is* becomes *was*, *has left* *had left*."""

    def shift(mark):
        form, full = mark[2], bool(mark[1])
        lemma, tense = analyse(form, full)
        if tense == "past":
            return _agree(form, full, clause[: mark.start()])
        if lemma == "be":
            return "were" if form == "are" else "was"
        if lemma in SHIFTED:
            return SHIFTED[lemma]
        return PASTS[lemma]

    return MARK.sub(shift, clause)


def bare(clause):
    """Subject, bare verb, past and rest of a clause whose one verb is a full verb in the past."""
    parts = _single(clause)
    if parts is None or NEGATIVE.search(clause) or "," in parts[0]:
        return None
    before, form, full, after = parts
    if _is_auxiliary(form, full) or analyse(form, full)[1] != "past":
        return None
    return before.strip(), analyse(form, full)[0], form, after


def still(clause):
    """A present clause said to hold *still*."""
    parts = _single(clause)
    if parts is None or NEGATIVE.search(clause) or re.search(r"\b(now|still|already|today|tonight)\b", clause):
        return None
    before, form, full, after = parts
    lemma, tense = analyse(form, full)
    if tense == "past" or (lemma in ("have", "will", "must") and not full) or "," in before:
        return None
    verb = _agree(form, full, before)
    return f"{before}{verb} still{after}" if _is_auxiliary(form, full) else f"{before}still {verb}{after}"


def is_present(clause):
    """True if every finite verb is in the present, so that the clause tells of a state."""
    marks = list(MARK.finditer(clause))
    states = [analyse(m[2], bool(m[1])) for m in marks]
    return bool(marks) and all(
        tense != "past" and not (lemma in ("have", "will") and not m[1])
        for m, (lemma, tense) in zip(marks, states)
    )


def with_article(noun):
    """The noun after *a* or *an*."""
    vowel = noun[0].lower() in "aeiou" and not noun.lower().startswith(("uni", "use", "one"))
    return ("an " if vowel or noun.startswith("hour") else "a ") + noun


def sentence(text):
    """The text with a capital at its start and a mark at its end."""
    start = 1 if text[0] == '"' else 0
    text = text[:start] + text[start].upper() + text[start + 1:]
    return text if text[-1] in ".?!\"" else text + "."
