"""Secrets, rumours, guilt and captivity."""

from .model import schema

SCHEMAS = [
    schema(
        "secret", "a:other s:secret", "secret", free="a s",
        holds="""
            {a} <knows> nothing of {s}
            {a} <=has> no idea of {s}
            {s} <is> unknown to {a.o}
            {a} <is> in the dark about {s}
            {s} <is> a secret from {a.o}
            {a} <has> not heard of {s}
        """,
        ended="""
            {a} <knows> about {s}
            {a} <is> aware of {s}
            {s} <is> known to {a.o}
            {a} <has> learned of {s}
            {a} <is> in on the secret of {s}
        """,
        ending="""
            {x} <told> {a.o} about {s} | {a} <was> told about {s} by {x.o}
            {a} <found> out about {s} | {a} <discovered> {s}
            {x} <let> slip {s} in {a.p} hearing
            {a} <read> a letter about {s}
            {a} <spoke> to me of {s} and <knows> every detail
            nothing about {s} <is> hidden from {a.o} now
            {x} <betrayed> {s} to {a.o} | {x} <revealed> {s} to {a.o}
        """,
        stays="""
            {x} <knows> about {s} | {x} <is> aware of {s}
            {a} <asked> {x.o} about the weather
            {x} <knows> nothing of {s2}
            {a} <wants> to be told everything
            {x} <wrote> a letter to {a.o}
        """,
        more="""
            although {x} <knows>
            and that <is> for the best
            thanks to {x.o}
        """,
        negatable=False,
    ),
    schema(
        "rumour", "r:rumour", "rumour", free="r",
        holds="""
            {r}
            it <is> true that {r}
            it <is> a fact that {r}
            {r}, and that <is> the truth
            {r}, and that <is> a fact
        """,
        other="""
            the rumour that {r} <is> false | it <is> untrue that {r}
            there <is> no truth in the story that {r}
            {x} <proved> that the story that {r} <is> made up
            {x} <admitted> to having invented the tale that {r}
            the talk that {r} <is> nothing but idle gossip
            it <is> not true that {r}
        """,
        stays="""
            {x} <asked> me whether {r}
            {x} <told> a story about wolves
            {x} <is> not sure whether {r}
            {x} <wants> to know if {r}
            somebody <spread> a rumour about {x.o}
        """,
        more="""
            and {x} <is> afraid of it
            and {x} <saw> it
            and everybody <talks> of it
        """,
        negatable=True,
    ),
    schema(
        "guilt", "a:other c:crime", "guilt", free="c",
        holds="""
            {a} <is> guilty of {c}
            {a} <is> the one to blame for {c}
            the guilt for {c} <lies> with {a.o}
            {a} <bears> the guilt for {c}
            {a} <is> the culprit who <is> guilty of {c}
        """,
        ended="""
            {a} <is> innocent of {c}
            {a} <is> not to blame for {c}
            {a} <=has> nothing to do with {c}
            {a} <is> without guilt in the matter of {c}
            {a} <is> blameless in the matter of {c}
        """,
        ending="""
            the judge <cleared> {a.o} of {c} | {a} <was> cleared of {c} by the judge
            {x} <confessed> to {c}, alone and without {a.p} help
            {a} <was> far away with {x.o} and had no part in {c}
            it <came> out that somebody else did it and {a} <was> wrongly blamed for {c}
            {x} <was> found to be the true culprit, not {a}
            a witness <proved> that {a} <had> no part in {c}
            {x} and not {a} <is> the one who <is> guilty of {c}
        """,
        stays="""
            {x} <accused> {a.o} of laziness
            {a} <sat> in the front row at the trial
            {x} <is> guilty of {c2}
            {a} <paid> a fine for a loud quarrel
            {x} <was> cleared of {c2}
        """,
        more="""
            and {x} <=has> proof of it
            together with {x.o}
            according to three witnesses
        """,
    ),
    schema(
        "captivity", "a:other p:place", "place body work captive", free="a",
        holds="""
            {a} <is> held captive {p.at}
            {a} <is> a prisoner {p.at}
            they <hold> {a.o} prisoner {p.at}
            {a} <is> locked up {p.at}
            {a} <is> in captivity {p.at}
            {a} <is> imprisoned {p.at}
        """,
        ended="""
            {a} <is> free
            {a} <is> at liberty
            {a} <is> a free soul again
            {a} <is> no longer a prisoner
            {a} <is> out of captivity
            {a} <is> a captive no more
        """,
        ending="""
            {a} <escaped> from {p} | {a} <broke> out of {p}
            {x} <freed> {a.o} from {p} | {a} <was> freed from {p} by {x.o}
            {x} <paid> the ransom, and {a} <came> home
            {a} <broke> the chains and <got> away
            they <let> {a.o} go | {a} <was> released
            {a} <is> home again after the long captivity
            {a} <climbed> out through the window of {p} and <fled>
            the judge <set> {a.o} free
            {a} <slipped> past the guards and <is> in hiding in the hills
        """,
        back="""
            {a} <was> caught and <is> locked up {p.at} again
            the guards <dragged> {a.o} back to {a.s} cell
        """,
        stays="""
            {x} <brought> {a.o} bread and water
            {x} <was> released | they <let> {x.o} go
            {a} <wrote> a letter to {x.o}
            {x} <is> planning to free {a.o}
            {a} <sang> a sad song
        """,
        more="""
            since the battle
            together with {x.o}
            by order of the duke
            and the guards never <sleep>
        """,
    ),
]
