"""Ties between people: love, friendship, hatred, trust, family and taste."""

from .model import schema

SCHEMAS = [
    schema(
        "marriage", "a:man b:woman", "love", free="a+b",
        holds="""
            {a} <is> married to {b.o}
            {b} <is> {a.p} wife
            {a} <is> {b.p} husband
            {a} and {b} <are> married
            {a} and {b} <are> husband and wife
            {b} <is> married to {a.o}
        """,
        ended="""
            {a} and {b} <are> divorced
            {a} and {b} <are> no longer married
            the marriage of {a} and {b} <is> over
            {b} <is> no longer {a.p} wife
            {a} <is> {b.p} husband no more
        """,
        ending="""
            {a} <left> {b.o} for good | {b} <was> left by {a.o} for good
            the abbot <annulled> the marriage of {a} and {b} | the marriage of {a} and {b} <was> annulled
            {b} <took> off {a.p} ring and <married> {x.o}
            {a} and {b} <separated> for ever
            {b} <got> a divorce from {a.o} | {b} <divorced> {a.o}
            {b} <threw> {a.o} out and <ended> the marriage
        """,
        other="""
            {a} <is> {b.p} brother | {b} <is> {a.p} sister
            {a} <is> a bachelor and always <was> one
            {b} never <took> a husband
            {a} and {b} never <married>; they only <share> a house
            {a} and {b} <are> strangers to each other
        """,
        stays="""
            {a} <quarrelled> with {b.o} | {a} and {b} <had> a quarrel
            {b} <baked> a pie for {a.o}
            {a} <danced> with {x.o} at the feast
            {a} and {b} <went> to the market together
            {x} <admires> {b.o}
        """,
        more="""
            and they <raise> two children
            since last spring
            against the will of the family
            and they <live> with {x.o}
        """,
    ),
    schema(
        "betrothal", "a:man b:woman s:season", "love plan", free="a+b", rival="s",
        holds="""
            {a} <will> marry {b.o} in {s}
            {a} and {b} <are> to be married in {s}
            the wedding of {a} and {b} <is> set for {s}
            {a} <is> going to marry {b.o} in {s}
            {b} <will> become {a.p} wife in {s}
            in {s} {b} <will> wed {a.o}
        """,
        parts="""
            {a} and {b} <are> engaged | {a} <is> engaged to {b.o}
        """,
        ended="""
            the wedding of {a} and {b} <is> off
            {a} and {b} <are> no longer engaged
            the engagement of {a} and {b} <is> over
            there <will> be no wedding of {a} and {b}
            {b} <is> no longer betrothed to {a.o}
        """,
        ending="""
            {a} <broke> off the engagement with {b.o} | the engagement with {b.o} <was> broken off by {a.o}
            {b} <gave> {a.o} back the ring and <went> {b.s} own way
            {b} <married> {x.o} instead of {a.o}
            {a} <left> {b.o} standing at the altar
            {a} and {b} <were> married this morning | this morning {a} <married> {b.o}
            {a} and {b} <celebrated> their wedding yesterday, sooner than planned
            {b.p} father <forbade> the match with {a.o}
            {a} <ran> away so as not to marry {b.o}
        """,
        stays="""
            {a} <bought> {b.o} a ring
            {b} <told> {x.o} about the wedding
            {x} <will> sing at the wedding
            {a} <danced> with {b.o}
            {b} <is> sewing a dress
        """,
        more="""
            in the old chapel
            and {x} <is> invited
            with the blessing of the abbot
        """,
        negatable=True,
    ),
    schema(
        "friendship", "a:person b:person", "regard", free="b",
        holds="""
            {a} and {b} <are> friends
            {b} <is> {a.p} friend
            {a} <is> friends with {b.o}
            {b} and {a} <are> friends
            {b} <is> a friend to {a.o}
        """,
        ended="""
            {a} and {b} <are> friends no longer
            {a} and {b} <are> no longer friends
            the friendship between {a.o} and {b.o} <is> over
            {b} <is> {a.p} friend no more
            {b} <is> not {a.p} friend any more
        """,
        ending="""
            {b} <betrayed> {a.o} and <became> {a.s} enemy
            {b} <stabbed> {a.o} in the back with a dagger
            {b} <broke> with {a.o} for ever | {b} <ended> the friendship with {a.o}
            {a} <wants> nothing more to do with {b.o}
            {b} <turned> against {a.o} | {b} <became> {a.p} enemy
            {a} <swore> never to speak to {b.o} again
            {b} <sold> {a.o} to the bandits
            {a} <has> cursed {b.o} and <hates> the sight of {b.m}
            hatred <has> taken the place of {a.p} friendship with {b.o}
        """,
        back="""
            {a} and {b} <made> peace and <are> friends once more
            {a} <forgave> {b.o}, and they <are> friends again
            {a} and {b} <were> reconciled | {a} and {b} <made> up
        """,
        other="""
            {a} and {b} <are> enemies | {b} <is> {a.p} enemy
            {a} and {b} never <were> friends
            {a} <is> at odds with {b.o} and always <was>
            {b} only <pretends> to be {a.p} friend
        """,
        stays="""
            {a} and {b} <played> cards
            {b} <was> late for supper with {a.o}
            {a} <argued> with {b.o} about the price of wool
            {x} <is> {a.p} enemy
            {b} <gave> {a.o} a basket of pears
            {x} and {b} <are> friends
        """,
        more="""
            since childhood
            and they often <fish> together
            because of what happened in the war
            in spite of everything {x} <says>
        """,
    ),
    schema(
        "enmity", "a:person b:person", "regard", free="b",
        holds="""
            {a} <hates> {b.o}
            {a} <feels> nothing but hatred for {b.o}
            {a} <loathes> {b.o}
            {a} <detests> {b.o}
            {a} <despises> {b.o}
            {b} <is> hated by {a.o}
        """,
        ended="""
            {a} no longer <hates> {b.o}
            {a.p} hatred of {b.o} <is> gone
            {a} <bears> {b.o} no grudge any more
            {a} <has> stopped hating {b.o}
            {a} <hates> {b.o} no more
        """,
        ending="""
            {a} <forgave> {b.o} everything | {b} <was> forgiven everything by {a.o}
            {a} <fell> in love with {b.o}
            {a} <hugged> {b.o} and <called> {b.m} a friend
            {a} <made> peace with {b.o} | {a} <buried> the hatchet with {b.o}
            {a} now <loves> {b.o} like family
            {a} <has> come to like {b.o}
        """,
        other="""
            {a} <adores> {b.o}
            {a} <is> very fond of {b.o}
            {a} <is> {b.p} best friend
            {a} only <pretends> to hate {b.o}
            {a} <likes> {b.o} a great deal
        """,
        stays="""
            {b} <hates> {x.o}
            {a} <nodded> to {b.o} at the market
            {a} <hates> turnips
            {b} <stepped> on {a.p} foot
            {x} <warned> {b.o} about {a.o}
        """,
        more="""
            because of an old quarrel
            since the trial
            and {b} <knows> it
            for the death of the dog
        """,
        negatable=False,
    ),
    schema(
        "trust", "a:person b:other", "regard", free="a b", swap="a b",
        holds="""
            {a} <trusts> {b.o}
            {a} <=has> faith in {b.o}
            {b} <=has> {a.p} trust
            {a} <believes> in {b.p} honesty
            {a} <thinks> that {b} <is> honest
            {a} <considers> {b.o} trustworthy
        """,
        ended="""
            {a} <distrusts> {b.o}
            {a} no longer <trusts> {b.o}
            {a} <has> lost all faith in {b.o}
            {b} <is> no longer trusted by {a.o}
            {b} no longer <=has> {a.p} trust
        """,
        ending="""
            {b} <has> lost {a.p} trust with a single lie | {a.p} trust in {b.o} <died> with a single lie
            {a} <found> {b.o} out in a lie and <will> never believe {b.m} again
            {a} <called> {b.o} a liar and a cheat
            {b} <cheated> {a.o} and <lost> {a.s} good opinion
            {a} now <locks> up the silver whenever {b} <comes>
            {a} <will> never again take {b.p} word for anything
            {a} <would> not believe {b.o} now if {b} swore on the altar
        """,
        back="""
            {b} <has> won back {a.p} trust | {b} <has> regained {a.p} trust
            {a} <has> learned to trust {b.o} again
        """,
        other="""
            {a} <thinks> that {b} <is> a liar | {a} <considers> {b.o} a liar
            {a} <thinks> that {b} <is> a cheat | {a} <considers> {b.o} dishonest
            {a} never <trusted> {b.o}
        """,
        stays="""
            {x} <distrusts> {b.o} | {x} <has> lost all faith in {b.o}
            {x} <thinks> that {b} <is> a liar
            {b} <told> {a.o} a long story
            {a} <met> {b.o} at the well
            {x} <asked> {a.o} about {b.o}
            {a} <disagrees> with {b.o} about the new tax
        """,
        more="""
            because {b} never <asked> for money
            since the flood
        """,
    ),
    schema(
        "kinship", "a:man b:other", "kin", free="b",
        holds="""
            {a} <is> {b.p} father
            {b.p} father <is> {a}
            {a} <is> the father of {b.o}
            the father of {b.o} <is> {a}
            the man who fathered {b.o} <is> {a}
        """,
        other="""
            {a} <is> {b.p} brother | {b.p} brother <is> {a}
            {x} and not {a} <is> {b.p} father
            {a} and {b} <are> no kin at all
            {a} <is> only the man who <raised> {b.o}, not the father
            {b} <is> no child of {a.o}
            {a} never <had> any children
        """,
        stays="""
            {a} <gave> {b.o} a pony
            {a} <is> {x.p} father too
            {b} <lives> far away from {a.o}
            {a} <is> proud of {b.o}
            {a} <scolded> {b.o}
        """,
        more="""
            although nobody <talks> about it
            and {x} <is> the only one who knows
        """,
    ),
    schema(
        "opinion", "a:person d:dish", "taste", free="a d",
        holds="""
            {a} <loves> {d}
            {a} <is> very fond of {d}
            {a} <likes> {d} very much
            {a} <adores> {d}
            {a} <is> a great lover of {d}
        """,
        ended="""
            {a} <hates> {d}
            {a} <loathes> {d}
            {a} <cannot> stand {d}
            {a} <detests> {d}
            {d} <is> disgusting to {a.o}
        """,
        ending="""
            {a} <has> gone off {d}
            {a} <has> lost all liking for {d}
            {a} <has> sworn never to touch {d} again
            the very smell of {d} <makes> {a.o} sick now
            {a} no longer <likes> {d}
        """,
        stays="""
            {a} <ate> {d} at the inn
            {a} <cooked> {d} for {x.o}
            {x} <hates> {d} | {x} <cannot> stand {d}
            {a} <is> too full for {d} tonight
            {a} <bought> a jug of cider at the market
        """,
        more="""
            with a mug of ale
            but {a} <cannot> cook it
            even in the heat of summer
        """,
        negatable=False,
    ),
]
