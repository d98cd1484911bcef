"""Passing occasions: weather, moods and what somebody does at a moment.

Two of them are always two memories. A line holds paraphrases of one occasion.
"""

from .model import parse_groups

ACTIVITIES = parse_groups("""
    {a} <is> sweeping the yard | {a} <is> sweeping the yard with a broom made of twigs
    {a} <is> baking bread | {a} <is> making bread
    {a} <is> asleep by the fire | {a} <is> sleeping by the fire
    {a} <is> mending a net | {a} <is> repairing a net
    {a} <is> chopping wood | {a} <is> cutting wood
    {a} <is> feeding the hens | {a} <is> giving the hens their feed
    {a} <is> humming a tune | {a} <hums> a tune
    {a} <is> drinking ale at the bar | {a} <is> having an ale at the bar
    {a} <is> washing clothes in the river | {a} <is> doing the washing in the river
    {a} <is> sharpening a knife | {a} <is> putting an edge on a knife
    {a} <is> playing dice with the soldiers | {a} <is> at dice with the soldiers
    {a} <is> hungry | {a} <feels> hungry
    {a} <is> tired | {a} <feels> tired | {a} <is> weary
    {a} <is> in a bad mood today | {a} <is> bad-tempered today
    {a} <is> climbing a ladder | {a} <is> going up a ladder
    {a} <is> singing an old song | {a} <sings> an old song
    {a} <is> combing wool | {a} <is> busy combing wool
    {a} <is> peeling turnips | {a} <is> taking the skin off turnips
    {a} <is> telling a joke | {a} <tells> a joke
    {a} <is> carrying water to the kitchen | {a} <is> bringing water to the kitchen
    {a} <is> laughing loudly | {a} <is> laughing out loud
    {a} <is> writing in a thick book | {a} <writes> in a thick book
    {a} <is> brushing a horse | {a} <is> grooming a horse
    {a} <is> reading a letter | {a} <reads> a letter
    {a} <is> sitting on the wall | {a} <sits> on the wall
    {a} <is> waiting in the rain | {a} <waits> in the rain
    {a} <is> picking apples | {a} <is> gathering apples
    {a} <is> whistling | {a} <whistles>
    {a} <is> weaving a basket | {a} <is> making a basket
    {a} <is> running down the hill | {a} <runs> down the hill
    {a} <is> eating {dish} | {a} <is> having some {dish}
    {a} <is> cooking {dish} | {a} <is> making {dish}
    {a} <is> talking with {u.o} | {a} and {u} <are> talking | {a} <is> having a talk with {u.o}
    {a} <is> weighing {ware} | {a} <is> putting {ware} on the scales
    {a} <is> teaching the {animal.n} a trick | the {animal.n} <is> being taught a trick by {a.o}
    {a} <is> feeding the {animal.n} | the {animal.n} <is> being fed by {a.o}
    {a} <is> playing cards with {u.o} | {a} and {u} <are> playing cards
    {a} <is> dancing with {u.o} | {a} and {u} <are> dancing together
    {a} <is> on the road to {town} | {a} <is> on the way to {town}
""")

DEEDS = parse_groups("""
    {a} <bought> a loaf of bread | {a} <purchased> a loaf of bread
    {a} <dropped> a jug in the kitchen | {a} <let> a jug fall in the kitchen
    {a} <went> for a walk by the lake | {a} <took> a walk by the lake
    {a} <burnt> the porridge | the porridge <was> burnt by {a.o}
    {a} <told> a story about a giant | a story about a giant <was> told by {a.o}
    {a} <caught> three trout in the brook | three trout <were> caught in the brook by {a.o}
    {a} <lost> a glove in the snow | in the snow {a} <lost> a glove
    {a} <planted> beans behind the house | behind the house {a} <planted> beans
    {a} <sneezed> during the sermon | during the sermon {a} <sneezed>
    {a} <found> a copper coin in the street | in the street {a} <found> a copper coin
    {a} <won> a game of cards | a game of cards <was> won by {a.o}
    {a} <scolded> the stable boy | the stable boy <was> scolded by {a.o}
    {a} <talked> about the weather | {a} <spoke> about the weather
    {a} <fell> off a mule | {a} <tumbled> off a mule
    {a} <carved> a wooden spoon | a wooden spoon <was> carved by {a.o}
    {a} <stumbled> over the doorstep | {a} <tripped> over the doorstep
    {a} <watered> the roses | the roses <were> watered by {a.o}
    {a} <tore> a sleeve on a nail | a sleeve <was> torn on a nail by {a.o}
    {a} <walked> through the market in the morning | in the morning {a} <walked> through the market
    {a} <drank> a cup of tea | {a} <had> a cup of tea
    {a} <ate> {dish} at the inn | {a} <had> {dish} at the inn
    {a} <bought> {ware} in {town} | in {town} {a} <bought> {ware}
    {a} <paid> {few} coppers for a haircut | {few} coppers <was> what {a} <paid> for a haircut
    {a} <counted> {few} ravens on the roof | on the roof {a} <counted> {few} ravens
    {a} <travelled> to {town} by cart | {a} <went> to {town} by cart
    {a} <met> {u.o} at the fair | at the fair {a} <met> {u.o}
    {a} <gave> {u.o} a flower | {u} <got> a flower from {a.o} | {u} <was> given a flower by {a.o}
    {a} <helped> {u.o} with the harvest | {u} <was> helped with the harvest by {a.o}
    {a} <fed> the {animal.n} some carrots | some carrots <were> fed to the {animal.n} by {a.o}
    {a} <waved> to {u.o} from the window | from the window {a} <waved> to {u.o}
    {a} <argued> with {u.o} about {dish} | {a} and {u} <had> an argument about {dish}
    {a} <sold> {few} eggs | {few} eggs <were> sold by {a.o}
    {a} <baked> {few} loaves | {few} loaves <were> baked by {a.o}
    {a} <slept> under a tree near {town} | near {town} {a} <slept> under a tree
""")

WEATHER = parse_groups("""
    it <is> raining | rain <is> falling
    snow <is> falling on the roofs | it <is> snowing on the roofs
    a cold wind <is> blowing from the north | a cold north wind <is> blowing
    the sun <is> shining on the square | the square <lies> in the sunshine
    thick fog <lies> over the river | the river <is> covered by thick fog
    it <is> hot in the valley today | today it <is> hot in the valley
    thunder <is> rolling over the hills | it <is> thundering over the hills
    there <was> a storm last night | last night there <was> a storm
    the first frost <came> this morning | this morning <saw> the first frost
    a rainbow <stood> over the lake | over the lake <stood> a rainbow
    a dog <is> barking behind the inn | behind the inn a dog <is> barking
    a cart <rattled> over the bridge | over the bridge <rattled> a cart
    the bells <are> ringing for supper | the supper bells <are> ringing
    children <are> playing in the street | in the street children <are> playing
    geese <flew> over the village | over the village <flew> geese
    the leaves <are> falling | leaves <are> coming down from the trees
    the moon <is> rising over the wood | over the wood the moon <is> rising
""")
