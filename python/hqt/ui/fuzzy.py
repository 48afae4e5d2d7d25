"""The picker's filter: how well a row answers to what was typed. Pure.

Each word typed must be found in one of the row's texts: as it is, or its letters in order with
others between. What is found whole, early, or at the start of a word ranks higher.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_EXACT = 1000
_WHOLE = 500  # found in one piece
_START = 200  # at the very beginning
_WORD = 100  # at the beginning of a word
_LETTER = 20  # one letter, found apart
_FAR = 40  # points that a late place can cost at most


def rank(typed: str, texts: Sequence[str]) -> int | None:
    """How well `texts`, the first of which weighs most, answer to `typed`; None: not at all.

    No word typed ranks everything 0.
    """
    total = 0
    lowered = [text.lower() for text in texts]
    for word in typed.lower().split():
        found = [
            points - 10 * place
            for place, text in enumerate(lowered)
            if (points := score(word, text)) is not None
        ]
        if not found:
            return None
        total += max(found)
    return total


def score(word: str, text: str) -> int | None:
    """How well `text` answers to one word, both in lower case; None: not at all."""
    if not word:
        return 0
    if word == text:
        return _EXACT
    whole = max((_place_points(text, place) for place in _places(word, text)), default=None)
    return _WHOLE + whole if whole is not None else _scattered(word, text)


def _places(word: str, text: str) -> Iterator[int]:
    place = text.find(word)
    while place >= 0:
        yield place
        place = text.find(word, place + 1)


def _place_points(text: str, place: int) -> int:
    bonus = _START if place == 0 else _WORD if not text[place - 1].isalnum() else 0
    return bonus - min(place, _FAR)


def _scattered(word: str, text: str) -> int | None:
    """Letters in order: each at the start of a word if there is one, else the next there is."""
    points = 0
    place = -1
    for letter in word:
        following = text.find(letter, place + 1)
        if following < 0:
            return _in_order(word, text)
        starts = (at for at in _places(letter, text) if at > place and _starts_word(text, at))
        chosen = next(starts, following) if following != place + 1 else following
        points += _LETTER if chosen == place + 1 or _starts_word(text, chosen) else 1
        place = chosen
    return points - min(place, _FAR)


def _in_order(word: str, text: str) -> int | None:
    """The least there is to say: whether the letters are there in order at all."""
    place = -1
    for letter in word:
        place = text.find(letter, place + 1)
        if place < 0:
            return None
    return -_FAR


def _starts_word(text: str, place: int) -> bool:
    return place == 0 or not text[place - 1].isalnum()
