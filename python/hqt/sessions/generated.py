"""Names for sessions that were given none: short, readable, and free."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

ADJECTIVES = tuple(
    """
    agile amber ample azure blue bold brave bright brisk calm civil clean clear clever coral crisp
    deft early eager easy fair fine firm fond fresh gentle glad golden good grand green happy ivory
    jolly keen kind light lively lucid lucky lunar merry mild mint neat nimble noble olive opal
    plain proud quick quiet rapid ready royal ruby rustic silent silver smart snug solar solid
    steady sunny swift tidy vivid warm wise witty
    """.split()
)
NOUNS = tuple(
    """
    acorn alder aspen atlas badger basin beacon birch bison bridge brook canyon castle cedar cliff
    clover comet condor copper crane creek delta dune eagle ember falcon fern finch fjord forest
    fox garden glade grove harbor hazel heron hill island jade lagoon lake lantern larch laurel
    linden lotus lynx maple marsh meadow mesa moon moss oak ocean orchid otter owl pebble pine
    planet pond poplar prairie quartz raven reef river robin sage sparrow spring spruce star stone
    summit thistle tulip valley walnut willow wren
    """.split()
)


def generate(taken: Collection[str], choose: Callable[[Sequence[str]], str] | None = None) -> str:
    """A name such as `calm-otter` that is a valid slug and clashes with nothing in `taken`.

    Each collision makes it a word longer. It also keeps clear of names that differ only in case,
    and of the first part of one with slashes: git keeps no branch `a` beside `a/b`. `choose` picks
    one of several words; by default at random.
    """
    if choose is None:
        import random

        choose = random.choice
    used = {name.casefold().partition("/")[0] for name in taken}
    name = f"{choose(ADJECTIVES)}-{choose(NOUNS)}"
    while name in used:
        name = f"{choose(ADJECTIVES)}-{name}"
    return name
