"""Positions: answers to a question about a subject that hold from a time on, and the sentences that give, deny and end them.

In templates {S} is the subject, {v} its value, {w} another value, {q} and {r} other people, {n} and {m} amounts, [verb] a verb that agrees with
the subject; {vp} is a place without its preposition. `ends` are happenings after which the position no longer holds; `beside` are sentences
that touch it and leave it as it is.
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Position:
    """A question with one value at a time, or with several where it is not exclusive."""

    name: str
    about: str
    values: str
    wordings: tuple
    denials: tuple = ()
    ends: tuple = ()
    beside: tuple = ()
    exclusive: bool = True
    # Positions of one side are never taken for two sides of a life.
    side: str = ""


@dataclasses.dataclass(frozen=True)
class States:
    """A question whose few answers have wordings of their own."""

    name: str
    about: str
    states: dict
    # Happenings that end each state.
    ends: dict = dataclasses.field(default_factory=dict)
    beside: tuple = ()
    side: str = ""
    exclusive: bool = True


PERSON = (
    Position("trade", "person", "trades", (
        "{S} [be] {v}", "{S} [work] as {v}", "{S} [earn] {her} living as {v}", "{S} [be] {v} by trade", "{S} [have] been {v} for years",
        "{P} trade has been the same since youth: {v}", "{S} [make] {her} living as {v}", "By trade {S} [be] {v}", "{S} [be] employed as {v}"),
        ("{S} [be] not {v}", "{S} [be] no longer {v}", "{S} [have] never been {v}", "{S} [have] stopped working as {v}"),
        ("{S} gave up working as {v}", "{S} [have] retired and [do] no work any more", "{S} [have] become {w}", "{S} used to be {v} and [be] {w} now",
         "{S} lost {her} post as {v}", "{S} [be] no longer {v}, {he} [work] as {w} now", "{S} changed trades and [live] by being {w}"),
        ("{S} met {w} on the road", "{S} quarrelled with {w} about money", "{S} taught a cousin to be {v}", "{S} worked late last night", "{P} cousin became {w}",
         "{S} hired {w} for the week")),
    Position("home", "person", "places", (
        "{S} [live] {v}", "{P} home is {v}", "{S} [have] {her} rooms {v}", "{S} [have] lived {v} since the spring", "You will find {P} home {v}",
        "{S} [be] housed {v}", "{S} [dwell] {v}", "The place where {S} [live] is {v}", "{S} [have] made {her} home {v}"),
        ("{S} [do] not live {v}", "{S} no longer [live] {v}", "{P} home is not {v}", "{S} never lived {v}"),
        ("{S} moved out of {vp}", "{S} moved from {vp} to {wp}", "{S} left {vp} for good", "{S} gave up {her} rooms and [live] {w} now", "{S} [have] moved house and [live] {w} now",
         "{P} home burnt down, and {he} [stay] {w} now", "{S} packed everything and moved to {wp}", "{S} was put out of {her} rooms"),
        ("{S} visited {q} {w}", "{S} slept badly", "{S} moved the table to the other window", "{S} [work] {w}", "{S} swept the floor {v}",
         "{q} moved to {wp}", "{S} went to {wp} for the day")),
    Position("whereabouts", "person", "places", (
        "{S} [be] {v}", "{S} [be] still {v}", "{S} [be] {v} at the moment", "Right now {S} [be] {v}", "{S} can be found {v}", "If you look for {O}, {he} [be] {v}", "{S} [stay] {v} these days"),
        ("{S} [be] not {v}", "{S} [be] no longer {v}", "Nobody has seen {O} {v}; {he} [be] not there"),
        ("{S} left {vp} and did not come back", "{S} went from {vp} to {wp}", "{S} [have] gone away", "{S} came back from {vp} and [be] {w} now", "{S} set out for {town}",
         "{S} [be] back {w} again", "{S} [have] been taken to {wp}"),
        ("{S} [think] often of {wp}", "{S} once worked {w}", "{S} wrote to {q} from there", "{q} went to {wp}", "{S} [have] never liked {wp}"), side="whereabouts"),
    Position("spouse", "person", "person", (
        "{S} [be] married to {v}", "{P} spouse is {v}", "{v} is married to {O}", "{S} and {v} are married", "{S} [be] {v}'s lawful spouse",
        "{S} [have] been married to {v} for years", "{S} and {v} are husband and wife", "{S} [share] a marriage of many years with {v}"),
        ("{S} [be] not married to {v}", "{S} [be] no longer married to {v}", "{S} never married {v}"),
        ("{S} and {v} divorced", "{S} left {v} for {w}", "{v} died, and {S} [be] alone", "{S} divorced {v} and married {w}", "{P} marriage to {v} was annulled", "{S} and {v} have separated for good"),
        ("{S} quarrelled with {v}", "{S} bought {v} a present", "{S} danced with {w} at the feast", "{P} cousin divorced {q}", "{S} and {v} went fishing"), side="marriage"),
    Position("betrothal", "person", "person", (
        "{S} [be] engaged to {v}", "{S} and {v} are engaged", "{S} [be] betrothed to {v}", "{S} [be] going to marry {v}", "{S} [be] promised to {v}", "{S} and {v} will be wed in spring", "{v} is {P} intended"),
        ("{S} [be] not engaged to {v}", "{S} [be] no longer engaged to {v}", "{S} [do] not mean to marry {v}"),
        ("{S} broke off the engagement to {v}", "{S} gave the ring back to {v}, and the wedding is off", "{v} ran off with {q} and will not marry {O}", "{S} and {v} called the wedding off",
         "{S} jilted {v} and married {w}", "{S} and {v} were married yesterday"),
        ("{S} showed {q} the ring", "{S} danced with {w}", "{q} married {r}", "{v} was late for supper", "{S} and {v} chose the flowers"), side="marriage"),
    States("marital", "person", {
        "single": ("{S} [be] unmarried", "{S} [be] single", "{S} [have] never married", "{S} [live] alone and unwed"),
        "married": ("{S} [be] married", "{S} [have] a spouse", "{S} [have] a lawful husband or wife", "{S} [wear] a wedding ring and [mean] it"),
        "widowed": ("{S} [be] widowed", "{P} spouse is dead and {he} [have] not married again", "{S} [have] outlived the one {he} married", "{S} [live] on after the death of {her} spouse")},
        {"single": ("{S} got married yesterday", "{S} married {q}", "{S} and {q} wed this spring"), "married": ("{S} got divorced", "{P} marriage is over", "{P} spouse died"),
         "widowed": ("{S} married again", "{S} took {q} in second marriage")}, ("{S} went to a wedding", "{q} got divorced", "{S} danced with {q}"), side="marriage"),
    Position("age", "person", "ages", ("{S} [be] {v} years old", "{S} [be] {v}", "{S} [be] {v} years of age", "{P} age is {v}", "{S} [have] seen {v} winters", "{S} [be] all of {v} years old")),
    States("health", "person", {
        "ill": ("{S} [be] ill", "{S} [lie] sick in bed", "{S} [be] unwell", "{S} [be] laid up with a sickness", "{S} [be] ailing", "{S} [be] too sick to get up"),
        "well": ("{S} [be] in good health", "{S} [be] well", "{S} [be] healthy", "There is nothing wrong with {P} health", "{S} [enjoy] the best of health", "{S} [be] as fit as can be")},
        {"ill": ("{S} [be] well again", "{S} got over the sickness", "{S} [have] recovered", "{S} rose from {her} sickbed, cured", "The doctor says that {S} [be] cured"),
         "well": ("{S} fell ill", "{S} came down with {ill}", "{S} [have] caught {ill}", "{S} was struck down by {ill}")},
        ("{S} visited the doctor's sister", "{q} fell ill", "{S} brought {q} soup", "{q} recovered", "{S} sneezed at supper"), side="life"),
    Position("eyes", "person", "eyes", ("{S} [have] {v} eyes", "{P} eyes are {v}", "The colour of {P} eyes is {v}", "{P} eyes are of a {v} sort", "{S} [look] at the world with {v} eyes", "{S} [be] a person with {v} eyes")),
    Position("hair", "person", "hair", ("{S} [have] {v} hair", "{P} hair is {v}", "{S} [wear] {her} {v} hair short", "{S} [be] a person with {v} hair", "The hair on {P} head is {v}", "{S} [comb] a head of {v} hair"),
        (), ("{S} dyed {her} {v} hair", "{S} shaved {her} head"), ("{S} lost a comb", "{q} dyed the curtains", "{S} washed {her} coat")),
    Position("faith", "person", "faiths", ("{S} [pray] to {v}", "{S} [serve] {v}", "{S} [worship] {v}", "{P} prayers go to {v}", "{S} [follow] {v} and no other", "{S} [belong] to those who kneel to {v}"),
        ("{S} [do] not pray to {v}", "{S} no longer [worship] {v}"), ("{S} turned from {v} to {w}", "{S} renounced {v}", "{S} [have] given up {her} faith in {v}"),
        ("{S} saw a shrine of {w}", "{q} turned to {w}", "{S} lit a candle"), side="faith"),
    Position("employer", "person", "employers", ("{S} [work] for {v}", "{v} employs {O}", "{S} [be] in the service of {v}", "{S} [be] paid by {v}", "{P} employer is {v}", "{S} [have] a post with {v}", "{S} [serve] {v} for wages"),
        ("{S} [do] not work for {v}", "{S} no longer [work] for {v}", "{S} [have] stopped working for {v}"),
        ("{v} dismissed {O}", "{S} left the service of {v}", "{S} quit {her} job with {v} and [work] for {w} now", "{S} was let go by {v}", "{S} handed in {her} notice to {v}", "{S} went over from {v} to {w}"),
        ("{S} sold eggs to {w}", "{v} praised {O}", "{v} dismissed {q}", "{S} argued with {w}", "{S} was late for work"), side="work"),
    Position("group", "person", "groups", ("{S} [belong] to {v}", "{S} [be] a member of {v}", "{S} [be] in {v}", "{S} [be] one of {v}", "{v} counts {O} among its own", "{P} name is on the list of {v}"),
        ("{S} [be] not a member of {v}", "{S} no longer [belong] to {v}"), ("{S} left {v}", "{S} was thrown out of {v}", "{S} [have] resigned from {v}", "{v} struck {O} off its list"),
        ("{S} met someone from {w}", "{q} left {v}", "{v} met on Friday", "{S} paid {her} fee"), exclusive=False, side="group"),
    Position("debt", "person", "debt", ("{S} [owe] {q} {v}", "{S} still [owe] {v} to {q}", "{q} is owed {v} by {O}", "{P} debt to {q} is {v}", "{S} [be] {v} in debt to {q}", "{q} has {v} to get from {O}", "What {S} [owe] {q} comes to {v}"),
        ("{S} [do] not owe {q} anything", "{S} no longer [owe] {q} money", "{S} [have] no debt to {q}"),
        ("{S} paid {q} back", "{S} paid {q} the {v}", "{q} forgave {O} the debt", "{S} [have] settled {her} debt to {q}", "{S} counted the {v} into the hand of {q}", "{S} and {q} are even now"),
        ("{S} talked with {q} about the weather", "{S} paid {r} back", "{q} reminded {O} of the debt", "{S} lent {r} {w}", "{q} paid {r} {w}", "{S} [owe] {r} {w}"), side="debt"),
    Position("wage", "person", "debt", ("{S} [earn] {v} a week", "{P} wage is {v} a week", "{S} [be] paid {v} every week", "{S} [get] {v} for a week's work", "A week's work brings {O} {v}", "{P} weekly pay comes to {v}"),
        (), ("{P} wage was raised to {w} a week", "{P} wage was cut to {w} a week", "From now on {S} [get] {w} a week"), ("{S} spent {w} at the fair", "{q} got a rise to {w} a week", "{S} asked for more money"), side="wage"),
    Position("rank", "person", "trades", ("{S} [have] the rank of senior {t}", "{S} [be] a senior {t}", "{S} [be] ranked as a senior {t}", "{S} [hold] the rank of a senior {t}"), (),
        ("{S} was demoted to junior {t}", "{S} was promoted from senior {t} to head of the whole house", "{S} [be] only a junior {t} now"), ("{S} met a junior {t}", "{q} was promoted", "{S} was praised"), side="work"),
    Position("intention", "person", "plans", ("{S} [mean] to {v}", "{S} [intend] to {v}", "{S} [plan] to {v}", "{S} [have] made up {her} mind to {v}", "{S} [be] going to {v}", "{S} [be] set on it: {he} [want] to {v}", "It is {P} intention to {v}", "{S} [be] resolved to {v}"),
        ("{S} [do] not mean to {v}", "{S} no longer [want] to {v}", "{S} will not {v} after all", "{S} [have] no wish to {v} any more"),
        ("{S} changed {her} mind and will not {v}", "{S} gave up the plan to {v}", "{S} [have] decided against it: {he} will not {v}", "Nothing comes of {P} plan to {v}", "{S} [have] dropped the idea to {v}", "{S} thought better of it and will never {v}"),
        ("{S} talked with {q} about the plan", "{S} [mean] to {w} too", "{q} changed the mind about the soup", "{q} gave up the plan to {w}", "{S} [dream] of summer"), exclusive=False, side="intention"),
    Position("promise", "person", "promises", ("{S} promised to {v}", "{S} promised {q} to {v}", "{S} gave {her} word to {v}", "{S} swore to {v}", "{q} has {P} word that {he} will {v}", "{S} made {q} a promise: to {v}", "{S} vowed to {v}", "{P} word to {q} stands: {he} will {v}"),
        (), ("{S} broke the promise to {v}", "{S} did not keep {her} word to {v}", "{S} kept the promise to {v}", "{S} will not {v}, promise or no promise", "{S} went back on {her} word and will not {v}", "{S} [say] {he} will not {v} after all", "{q} let {O} off the promise to {v}"),
        ("{S} promised to {w} too", "{q} promised to {w}", "{q} broke the promise to {w}", "{S} spoke with {q} about something else"), exclusive=False, side="promise"),
    States("liking", "person", {
        "likes": ("{S} [like] {x}", "{S} [be] fond of {x}", "{S} [enjoy] {x}", "{S} [love] {x}", "{S} [be] very keen on {x}", "{S} [delight] in {x}"),
        "dislikes": ("{S} [dislike] {x}", "{S} cannot stand {x}", "{S} [hate] {x}", "{S} [do] not like {x}", "{S} [loathe] {x}", "{S} [have] no love for {x}")},
        {"likes": ("{S} [have] gone off {x}", "{S} no longer [like] {x}", "{S} lost {her} taste for {x}"), "dislikes": ("{S} [have] come to like {x}", "{S} no longer [mind] {x} and [like] it now", "{S} [have] warmed to {x}")},
        ("{S} talked about {x}", "{q} hates {x}", "{q} likes {x}", "{S} bought something for {q}"), side="liking"),
    States("trust", "person", {
        "trusts": ("{S} [trust] {x}", "{S} [have] faith in {x}", "{S} [believe] that {x} is honest", "{S} [put] {her} trust in {x}", "{S} [rely] on {x}", "{S} would trust {x} with anything"),
        "distrusts": ("{S} [distrust] {x}", "{S} [do] not trust {x}", "{S} [think] that {x} is a liar", "{S} [have] no trust in {x}", "{S} [believe] nothing that {x} says", "{S} [take] {x} for a cheat")},
        {"trusts": ("{S} no longer [trust] {x}", "{S} [have] lost all trust in {x}"), "distrusts": ("{S} [have] come to trust {x}", "{S} was wrong about {x} and [trust] {x} now")},
        ("{S} met {x} at the well", "{q} trusts {x}", "{q} distrusts {x}", "{x} trusts {q}", "{S} lent {x} a spoon"), side="trust"),
    States("ability", "person", {
        "can": ("{S} can {x}", "{S} [know] how to {x}", "{S} [be] able to {x}", "{S} [have] learnt to {x}", "{S} [be] one who can {x}", "{S} [have] the skill to {x}"),
        "cannot": ("{S} cannot {x}", "{S} [do] not know how to {x}", "{S} [be] unable to {x}", "{S} never learnt to {x}", "{S} [have] no idea how to {x}", "{S} [lack] the skill to {x}")},
        {"can": ("{S} [have] forgotten how to {x}", "Since the accident {S} can no longer {x}"), "cannot": ("{S} [have] learnt to {x} by now", "{q} taught {O} to {x}", "{S} can {x} at last")},
        ("{S} watched {q} {x}", "{q} cannot {x}", "{q} can {x}", "{S} [want] to buy a book"), side="ability"),
    States("owning", "person", {
        "has": ("{S} [own] {x}", "{S} [have] {x}", "{S} [be] the owner of {x}", "{S} [possess] {x}", "{S} [have] {x} of {her} own", "Among {P} goods is {x}"),
        "has not": ("{S} [do] not own {x}", "{S} [do] not have {x} any more", "{S} no longer [own] {x}", "{S} [have] not got {x} any longer")},
        {"has": ("{S} sold what {he} had: {x}", "{S} gave {x} away, the only one {he} had", "{S} had {x}, and it was stolen", "{S} lost {x} for good, the only one {he} had"), "has not": ("{S} bought {x}", "{q} gave {O} {x}", "{S} [have] come by {x}")},
        ("{S} saw {x} at the market", "{q} sold {x}", "{q} owns {x}", "{S} drew {x} on the wall"), side="owning"),
    States("wealth", "person", {"rich": ("{S} [be] rich", "{S} [be] wealthy", "{S} [have] more money than anyone here", "{S} [be] well off", "{S} [have] gold enough for three lives", "{S} [swim] in money"),
        "poor": ("{S} [be] poor", "{S} [have] hardly a coin", "{S} [be] penniless", "{S} [be] as poor as a mouse", "{S} [live] in poverty", "{S} [have] nothing but debts")},
        {"rich": ("{S} lost everything {he} had", "{S} [be] ruined", "{S} gambled {her} fortune away"), "poor": ("{S} came into a fortune", "{S} [have] grown rich")}, ("{S} counted some coins", "{q} lost everything", "{S} bought bread"), side="wealth"),
    States("honesty", "person", {"honest": ("{S} [be] honest", "{S} never [lie]", "{S} [be] an honest soul", "{S} [tell] the truth always", "{P} word can be trusted"), "liar": ("{S} [be] a liar", "{S} [cheat] everybody", "{S} [lie] whenever it pays", "{S} [be] dishonest", "{S} [be] a cheat")}, side="honesty"),
    States("courage", "person", {"brave": ("{S} [be] brave", "{S} [have] courage", "{S} [fear] nothing", "{S} [be] fearless", "{S} [be] without fear"), "coward": ("{S} [be] a coward", "{S} [have] no courage", "{S} [run] from every danger", "{S} [be] faint-hearted", "{S} [be] afraid of everything")}, side="courage"),
    States("age of life", "person", {"old": ("{S} [be] old", "{S} [be] very old", "{S} [be] an old soul of many years", "{S} [be] getting on in years", "{S} [be] advanced in age"), "young": ("{S} [be] young", "{S} [be] very young", "{S} [be] still a youngster", "{S} [have] not been grown up for long", "{S} [be] in the first bloom of youth")}, side="age"),
    States("prison", "person", {"held": ("{S} [be] in prison", "{S} [sit] in gaol", "{S} [be] locked up", "{S} [be] a prisoner", "{S} [be] behind bars"), "free": ("{S} [be] free", "{S} [be] at liberty", "{S} [be] out of gaol", "{S} [walk] about free", "{S} [be] no prisoner")},
        {"held": ("{S} was released", "{S} broke out of gaol", "{S} was pardoned and set free"), "free": ("{S} was arrested and locked up", "{S} was thrown into gaol")}, ("{S} talked to the gaoler", "{q} was arrested", "{q} was released", "{S} read a letter"), side="whereabouts"),
    States("standing", "person", {"friend": ("{S} [be] friends with {x}", "{S} and {x} are friends", "{S} [be] a good friend of {x}", "{x} is a friend of {him}", "{S} [call] {x} a friend"), "enemy": ("{S} [be] an enemy of {x}", "{S} and {x} are enemies", "{S} [bear] {x} a deadly grudge", "{S} and {x} are foes", "{S} [count] {x} among {her} foes")},
        {"friend": ("{S} fell out with {x} for good", "{S} and {x} are no longer friends", "{S} [have] broken with {x}"), "enemy": ("{S} and {x} made peace", "{S} made up with {x}")}, ("{S} passed {x} in the street", "{q} fell out with {x}", "{S} [be] friends with {q} too", "{S} bought a hat"), side="trust"),
)
# Sides of a life that have room for several values.
OPEN = (
    Position("likes", "person", "foods", ("{S} [like] {v}", "{S} [be] fond of {v}", "{S} [enjoy] {v}", "{S} [love] {v}", "{S} [have] a soft spot for {v}", "Nothing pleases {O} like {v}"), exclusive=False),
    Position("pastimes", "person", "pastimes", ("{S} [love] {v}", "{S} [spend] {her} free hours with {v}", "{S} [be] fond of {v}", "{S} [be] known for {her} love of {v}", "{S} [take] great pleasure in {v}", "A passion that {S} [have] is {v}"), exclusive=False),
    Position("creatures", "person", "creatures", ("{S} [keep] {v}", "{S} [like] {v}", "{S} [breed] {v}", "{S} [care] for {v}", "{S} [have] {v} about the house"), exclusive=False),
    Position("fears", "person", "fears", ("{S} [be] afraid of {v}", "{S} [fear] {v}", "{S} [be] scared of {v}", "{S} [dread] {v}", "{S} [tremble] at the thought of {v}", "What {S} [fear] is {v}"), exclusive=False, side="courage"),
    Position("skills", "person", "skills", ("{S} can {v}", "{S} [know] how to {v}", "{S} [be] able to {v}", "{S} [have] learnt to {v}", "{S} [be] good when there is a need to {v}", "{S} [have] the gift to {v}"), exclusive=False, side="ability"),
    Position("belongings", "person", "belongings", ("{S} [own] {v}", "{S} [have] {v}", "{S} [be] the owner of {v}", "{S} [possess] {v}", "{S} [call] {v} {her} own", "There is {v} that belongs to {O}"), exclusive=False, side="owning"),
    Position("kin", "person", "kin", ("{S} [have] {v}", "{S} once spoke of having {v}", "In {P} family there are others: {he} [have] {v}", "{S} [be] blessed with {v}", "To {P} kin belongs more than {he} [let] on: {he} [have] {v}"), exclusive=False),
    Position("moods", "person", "moods", ("{S} [be] {v}", "{S} [be] {v} today", "{S} [seem] {v}", "{S} [look] {v} to me", "{S} [feel] {v}", "I find {O} {v} this evening"), exclusive=False, side="mood"),
    Position("traits", "person", "traits", ("{S} [be] {v}", "{S} [be] rather {v}", "{S} [be] known to be {v}", "{S} [be] said to be {v}", "{S} [count] as {v}"), exclusive=False, side="trait"),
    Position("wear", "person", "wear", ("{S} [wear] {v}", "{S} [have] {v} on", "{S} [go] about with {v}", "You know {O} by one thing: {v}", "{S} never [go] out without {v}"), exclusive=False),
    Position("friends", "person", "person", ("{S} [be] friends with {v}", "{v} is a friend of {P} family", "{S} and {v} are close friends", "{S} often [sit] with {v}", "{S} [get] on well with {v}"), exclusive=False, side="trust"),
    Position("teachers", "person", "person", ("{S} [learn] from {v}", "{S} [be] taught by {v}", "{v} teaches {O}", "{S} [take] lessons with {v}"), exclusive=False),
)
THING = (
    Position("owner", "thing", "person", ("{S} belongs to {v}", "{v} owns {S}", "{S} is {v}'s", "The owner of {S} is {v}", "{S} is the property of {v}", "{v} is the one who owns {S}", "It is {v} whom {S} belongs to"),
        ("{S} does not belong to {v}", "{S} is not {v}'s", "{v} no longer owns {S}"),
        ("{v} sold {S}", "{v} sold {S} to {w}", "{v} gave {S} to {w}", "{v} lost {S} at dice to {w}", "{w} bought {S} from {v}", "{v} traded {S} away for a sack of flour", "{v} left {S} to {w} in the will, and it is {w}'s now", "{S} was taken from {v} to pay a debt, and {w} owns it now"),
        ("{v} cleaned {S}", "{w} admired {S}", "{v} sold {t} to {w}", "{w} borrowed {S} for the day", "{v} showed {S} to {w}", "{v} bought {t} too"), side="owner"),
    Position("place of a thing", "thing", "places", ("{S} is {v}", "{S} is kept {v}", "You will find {S} {v}", "{S} lies {v}", "{S} stands {v}", "The place of {S} is {v}", "{S} has its place {v}"),
        ("{S} is not {v}", "{S} is no longer {v}"),
        ("{q} moved {S} from {vp} to {wp}", "{q} carried {S} away", "Somebody stole {S}", "{q} took {S} to {wp}, and there it stays", "{S} was brought to {wp} for good", "{S} burnt to ashes", "{S} went overboard"),
        ("{q} polished {S}", "{q} carried {t} away", "{q} looked at {S}", "Somebody stole {t}", "{t} is {w}"), side="place"),
    Position("price", "thing", "debt", ("{S} costs {v}", "The price of {S} is {v}", "They ask {v} for {S}", "You pay {v} for {S}", "{S} is to be had for {v}", "{S} goes for {v}", "For {S} {q} wants {v}"),
        ("{S} does not cost {v}",), ("The price of {S} went up to {w}", "The price of {S} was lowered to {w}", "{S} costs {w} now", "{q} sells {S} for {w} from today on"),
        ("{q} paid {w} for {t}", "{t} costs {w}", "{q} asked what {S} costs", "The repair of {S} cost {w}"), side="price"),
    Position("colour", "thing", "colours", ("{S} is {v}", "{S} is painted {v}", "The colour of {S} is {v}", "{S} is all {v}", "{S} has a coat of {v} paint", "Somebody chose {v} for {S}, and {v} it is"), ("{S} is not {v}",), ("{q} painted {S} {w}", "{S} was painted over in {w}", "{S} is {w} now"),
        ("{q} painted {t} {w}", "{t} is {w}", "{q} dropped {S}"), side="colour"),
    Position("material", "thing", "materials", ("{S} is made of {v}", "{S} is of {v}", "The maker of {S} used {v}", "{S} is {v} through and through", "{S} was worked from {v}"), ("{S} is not made of {v}",), (), ("{t} is made of {w}", "{q} bought some {w}"), side="material"),
)
MACHINE = (
    States("order", "machine", {"works": ("{S} works", "{S} is in working order", "{S} is running", "{S} is in order", "{S} does its work", "{S} runs as it should"), "broken": ("{S} is broken", "{S} is out of order", "{S} does not work", "{S} is not working", "{S} has failed", "{S} is damaged and idle")},
        {"works": ("{S} broke down", "{S} burnt out and stands still", "{q} smashed {S}", "{S} gave out"), "broken": ("{q} mended {S}", "{S} was repaired", "{q} got {S} going again", "{S} has been mended", "They fixed {S}")},
        ("{q} leaned against {S}", "{q} mended {t}", "{t} broke down", "{q} complained about the noise of {S}", "{q} wants to look at {S} some day"), side="order"),
    Position("keeper", "machine", "person", ("{v} looks after {S}", "{S} is in the care of {v}", "{v} is in charge of {S}", "{S} is {v}'s to look after", "The one in charge of {S} is {v}"), ("{v} no longer looks after {S}",), ("{v} handed {S} over to {w}", "The care of {S} passed from {v} to {w}", "{w} takes care of {S} now"), ("{w} walked past {S}", "{v} fetched oil", "{w} looks after {t}"), side="keeper"),
)
DOOR = (
    States("opening", "door", {"open": ("{S} is open", "{S} stands open", "{S} is open to everybody", "You can get into {S}; it is open", "{S} is not shut", "Anyone may go in, for {S} is open"), "shut": ("{S} is shut", "{S} is closed", "{S} is closed to everybody", "{S} stays shut", "{S} is locked and barred", "Nobody gets in, for {S} is closed")},
        {"open": ("They closed {S}", "{S} closed for good", "{q} had {S} shut", "{S} burnt down", "{S} was walled up"), "shut": ("They opened {S}", "{S} has opened again", "{q} unlocked {S} and let everybody in", "{S} was thrown open")},
        ("{q} painted {S}", "They closed {t}", "{t} is shut", "{q} waited in front of {S}", "{t} has opened again"), side="opening"),
    Position("colour of a door", "door", "colours", ("{S} is {v}", "{S} is painted {v}", "The walls of {S} are {v}", "{S} has {v} walls"), (), ("{S} was painted {w}",), ("{t} was painted {w}",), side="colour"),
    Position("holder of the key", "door", "person", ("{v} has the key to {S}", "The key to {S} is with {v}", "{v} keeps the key to {S}", "The one with the key to {S} is {v}", "{v} is the keeper of the only key to {S}"), ("{v} no longer has the key to {S}",), ("{v} gave the key to {S} to {w}", "{w} took the key to {S} from {v}", "{v} lost the key to {S}"), ("{v} gave the key to {t} to {w}", "{w} knocked at {S}", "{v} swept {S}"), side="key"),
)
OFFICE = (
    Position("holder", "office", "person", ("{v} is {S}", "{S} is {v}", "The name of {S} is {v}", "{v} holds the post: {v} is {S}", "{S} is called {v}", "{v} serves as {S}", "We have {v} as {S}", "{S}, as everybody knows, is {v}"),
        ("{v} is not {S}", "{v} is no longer {S}", "{S} is not {v}"),
        ("{v} was dismissed as {S}", "{v} stepped down, and {w} is {S} now", "{w} is {S} now", "{w} took over from {v} as {S}", "{w} was made {S} in place of {v}", "{v} resigned as {S}", "{v} was voted out and is not {S} any more", "{w} was sworn in as {S}"),
        ("{v} spoke to {w}", "{w} wrote to {S}", "{w} was dismissed as {o}", "{w} is {o}", "{v} was late", "{w} worked for {S}", "{v} praised {w}"), side="holder"),
)
OCCASION = (
    Position("day", "occasion", "days", ("{S} is on {v}", "{S} is {v}", "{S} falls on {v}", "The day of {S} is {v}", "{S} takes place on {v}", "{S} is set for {v}", "{v} is the day for {S}", "They hold {S} on {v}"),
        ("{S} is not on {v}",), ("{S} was moved from {v} to {w}", "{S} was put off to {w}", "{S} has been called off", "{S} is on {w} from now on", "There will be no {o} on {v}"), ("{t} is on {w}", "{q} spoke about {S}", "{t} was put off to {w}", "{q} works on {w}"), side="day"),
    Position("host", "occasion", "person", ("{v} is in charge of {S}", "{v} runs {S}", "{S} is run by {v}", "The one in charge of {S} is {v}", "{S} is in the hands of {v}"), ("{v} no longer runs {S}",), ("{v} handed {S} over to {w}", "{w} runs {S} now"), ("{w} went to {S}", "{w} runs {t}"), side="host"),
)
SECRET = (
    Position("password", "secret", "passwords", ("The password is {v}", "The word {v} is the password", "The watchword is {v}", "To get in you have to say {v}", "The word at the door is {v}", "You get past the guard by saying {v}"), ("The password is not {v}",), ("The password was changed to {w}", "They changed the password", "The password is {w} from today on"), ("{q} forgot the word", "{q} told {r} a riddle about {w}"), side="password"),
    Position("culprit", "secret", "person", ("The {x} is {v}", "{v} is the {x}", "The {x} is no other than {v}", "It is {v} who is the {x}", "The {x} goes by the name of {v}", "I know who the {x} is: {v}"), ("The {x} is not {v}", "{v} is not the {x}"), (), ("{v} spoke about the {x}", "{w} is afraid of the {x}", "{v} met {w}"), side="culprit"),
)
DEAD = ("{S} died", "{S} [be] dead", "{S} died last night", "{S} was killed on the road", "{S} drowned", "{S} passed away on Sunday", "We buried {O} today", "{S} died in the fire", "{P} funeral was this morning", "{S} fell from the roof and died",
        "{S} lost {her} life in the flood", "{S} breathed {her} last", "{S} did not live to see the morning", "{S} died of {ill}", "{S} was found dead", "{P} body was laid to rest")
ALIVE = ("{S} [be] alive", "{S} [be] still alive", "{S} [live]", "{S} survived and [be] among the living", "{S} [be] alive and breathing")
ONLY_NEAR_DEATH = ("{P} dog died", "{P} horse died", "{S} nearly died laughing", "{S} wept at the funeral of {q}", "{S} fell from the roof and laughed", "{S} buried a bone in the yard", "{S} dreamt of death", "{S} talked about dying")
