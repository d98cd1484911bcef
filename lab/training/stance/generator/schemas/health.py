"""Life and body: alive or dead, ill, wounded, with child, cursed or missing."""

from .model import schema

SCHEMAS = [
    schema(
        "life", "a:other", "body place love regard work all", free="a",
        holds="""
            {a} <is> alive
            {a} <is> still alive
            {a} <lives> and <breathes>
            {a} <is> among the living
            {a} <is> not dead
            {a} <has> not died
        """,
        ended="""
            {a} <is> dead
            {a} <is> no longer alive
            {a} <lives> no more
            {a} <is> no longer among the living
            {a} <has> died
            {a} <has> passed away
        """,
        ending="""
            {a} <died> in the night
            {x} <killed> {a.o} | {a} <was> killed by {x.o} | {a} <died> by {x.p} hand
            we <buried> {a.o} behind the chapel | {a} <was> buried behind the chapel
            {a} <drowned> in the river | the river <drowned> {a.o}
            {a} <was> murdered in {a.s} sleep
            the fever <took> {a.o} at last | {a} <died> of the fever
            I <stood> at {a.p} grave this morning
            {a} <fell> in battle | {a} <was> slain in battle
            {a} <drew> {a.s} last breath at dawn
            {a.p} funeral <was> held this morning
            {a} <was> hanged at noon
            {a.p} heart <stopped> beating
        """,
        stays="""
            {a} <was> near death last winter
            {a} <talked> with {x.o} yesterday
            {a} <is> older than {x}
            {a.p} grandfather <died> many years ago
            {x} <lit> a candle for {a.o}
            {a.p} horse <is> dead
            {a} <was> ill last year
        """,
        more="""
            and in good health
            thanks to {x.o}
            and {a} <remembers> everything
        """,
        negatable=False,
    ),
    schema(
        "illness", "a:person i:illness", "body", free="a",
        holds="""
            {a} <is> ill with the {i}
            {a} <=has> the {i}
            {a} <is> sick with the {i}
            {a} <is> down with the {i}
            {a} <suffers> from the {i}
            {a} <lies> ill with the {i}
            the {i} <is> upon {a.o}
        """,
        parts="""
            {a} <is> (ill/sick)
            {a} <is> unwell | {a} <is> not well
        """,
        ended="""
            {a} <is> well again after the {i}
            {a} <is> over the {i}
            {a} no longer <=has> the {i}
            {a} <is> free of the {i}
            {a} <is> cured of the {i}
            {a} <is> rid of the {i}
        """,
        ending="""
            {a} <recovered> from the {i} | {a} <got> over the {i} | {a} <shook> off the {i}
            {x} <cured> {a.o} of the {i} | {a} <was> cured of the {i} by {x.o}
            the {i} <left> {a.o} in the night and did not return
            {a} <got> well again after three days
            the healer's draught <drove> the {i} out of {a.o}
            {a} <is> up and about again, fit as a fiddle
            the healer <declared> that {a} <is> in perfect health again
            {a} <has> shaken off the {i} and <is> back at work
            {a} <is> healthy again | {a} <is> well again
        """,
        back="""
            {a} <fell> ill with the {i} again | {a} <came> down with the {i} once more
            the {i} <has> returned to {a.o}
        """,
        other="""
            {a} never <caught> the {i}
            {a} only <pretended> to have the {i}
            what {a} <=has> <is> a hangover and not the {i}
        """,
        stays="""
            {a} <had> a cough last year
            {x} <brought> {a.o} a bowl of soup
            {x} <is> well again
            {a} <is> tired
            {a} <sent> for the healer
            {x} <fears> the {i}
        """,
        more="""
            since the harvest feast
            and {a} <cannot> get out of bed
            and the healer <is> worried
        """,
    ),
    schema(
        "wound", "a:person w:wound", "body", free="a w",
        holds="""
            {a.p} {w} <is> broken
            {a} <=has> a broken {w}
            the bone of {a.p} {w} <is> broken
            {a} <is> laid up with a broken {w}
            {a} <suffers> from a broken {w}
        """,
        ended="""
            {a.p} {w} <is> healed
            {a.p} {w} <has> healed
            {a.p} {w} <is> sound again
            {a.p} {w} <is> whole again
            {a.p} {w} <is> as good as ever
        """,
        ending="""
            {x} <took> the splint off {a.p} {w}, and the bone <is> sound
            the bone of {a.p} {w} <set> well and <gives> no more trouble
            {a} <uses> {a.s} {w} again without pain
            the healer <mended> {a.p} {w} completely | {a.p} {w} <was> completely mended by the healer
            {a.p} {w} <gives> no more trouble
        """,
        other="""
            {a.p} {w} <was> never broken
            {a.p} {w} <is> only bruised, not broken
            {a} only <pretended> to have a broken {w}
        """,
        stays="""
            {a} <had> a headache all morning
            {x} <broke> a tooth
            {a} <asked> the healer for a salve
            {x.p} {w} <is> healed | {x.p} {w} <is> sound again
        """,
        more="""
            after a fall from the hayloft
            because of {x.p} horse
            and the pain <is> terrible
        """,
        held_out=True,
    ),
    schema(
        "pregnancy", "b:woman", "child body", free="b",
        holds="""
            {b} <is> (pregnant/with child)
            {b} <is> expecting a child
            {b} <carries> a child under {b.s} heart
            {b} <will> soon be a mother
            {b} <is> going to have a baby
        """,
        ending="""
            {b} <gave> birth to a girl last night | last night {b} <had> a baby girl
            {b} <lost> the child {b} was carrying
            {b} <was> delivered of a healthy son
            the midwife <laid> {b.p} newborn in the cradle
            {b} <held> {b.s} newborn twins in {b.s} arms
        """,
        other="""
            {b} <is> not with child and never <was>
            there never <was> a child under {b.p} heart; it <was> a false alarm
            {b} only <wears> a cushion under the dress and <expects> no baby
        """,
        stays="""
            {b} <is> knitting small socks
            {x} <is> expecting a child | {x} <is> going to have a baby
            {b} <fed> the hens
            {x} <brought> {b.o} an old cradle
        """,
        more="""
            since the spring
            and {x} <is> the father
            and {b} <hopes> for a girl
        """,
        held_out=True,
        negatable=False,
    ),
    schema(
        "curse", "a:person b:other", "curse body", free="a", rival="b",
        holds="""
            {a} <is> under {b.p} curse
            {b.p} curse <lies> upon {a.o}
            {a} <is> cursed by {b.o}
            {a} <bears> the curse of {b.o}
            the curse of {b.o} <is> on {a.o}
        """,
        ended="""
            {a} <is> free of {b.p} curse
            {a} <is> no longer under {b.p} curse
            {b.p} curse <is> off {a.o}
            the curse of {b.o} no longer <lies> upon {a.o}
            {a} <is> rid of {b.p} curse
        """,
        ending="""
            {x} <broke> {b.p} curse on {a.o} | {b.p} curse on {a.o} <was> broken by {x.o}
            {b} <took> the curse off {a.o} again
            {a} <bathed> in the holy spring, and {b.p} curse <was> washed away
            the spell that {b} <laid> on {a.o} <died> with the moon
            {a} <lifted> {b.p} curse with a silver bell
        """,
        other="""
            {b} never <cursed> {a.o}
            {b.p} curse on {a.o} <is> pure imagination
            {a} <is> blessed, not cursed, by {b.o}
        """,
        stays="""
            {x} <is> under a curse too
            {a} <visited> a wise woman
            {b} <laughed> at {a.o}
            {x} <is> free of {b.p} curse
        """,
        more="""
            since the new moon
            because of a stolen hen
            and {x} <pities> {a.o}
        """,
    ),
    schema(
        "missing", "a:other", "place body missing", free="a",
        holds="""
            {a} <is> missing
            nobody <knows> where {a} is
            there <is> no trace of {a.o}
            {a} <has> disappeared without a trace
            {a} <is> nowhere to be found
        """,
        ended="""
            {a} <is> no longer missing
            {a} <has> been found
            {a} <has> turned up again
            {a} <is> found
            {a} <has> reappeared
        """,
        ending="""
            {x} <found> {a.o} in the marsh, alive and well | {a} <was> found in the marsh by {x.o}, alive and well
            {a} <came> home thin and hungry
            {a} <walked> into the inn as if nothing had happened
            {x} <brought> {a.o} home on a cart
            {a} <was> seen at home again by all the neighbours
            the search <is> over: {a} <sits> at home with a bowl of soup
        """,
        back="""
            {a} <has> gone missing again | {a} <has> disappeared once more
        """,
        stays="""
            {x} <is> looking for {a.o}
            {x} <has> been found
            {x} <offered> a reward of 20 silver for news of {a.o}
            {a} <had> supper with {x.o} on the last evening
            {x} <is> worried about {a.o}
        """,
        more="""
            since the storm
            and {x} <weeps> day and night
            after a quarrel with {x.o}
        """,
    ),
]
