"""What the screen before a removal says, in lines, and how many of them there is room for. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from hqt.ui import confirm_words
from hqt.ui.confirm_model import ConfirmState, Occupant, Step
from hqt.ui.text import clean, clip, paragraph
from hqt.ui.view import BAD, BOLD, DIM, NOTICE, Fragment, Line

SPACIOUS = 15  # lines from which parts are set apart by an empty one
_ROOMY = 3  # lines for a sentence, without which what Enter does is told and not what stays


@dataclass(frozen=True, slots=True)
class Parts:
    """The screen from top to bottom; only the body scrolls. One line of keys comes below."""

    head: tuple[Line, ...]
    body: tuple[Line, ...]
    foot: tuple[Line, ...]

    def room(self, height: int) -> int:
        """The lines for the body."""
        return max(height - len(self.head) - len(self.foot) - 1, 0)


def overflow(state: ConfirmState) -> int:
    """How many lines of the body do not fit on the screen."""
    told = parts(state, state.width, state.height)
    return max(len(told.body) - told.room(state.height), 0)


def parts(state: ConfirmState, width: int, height: int) -> Parts:
    """All lines of the current step, for a screen of this size."""
    draft = _Draft(state, max(width - 2, 2), max(height // 3, 1))
    head, foot = draft.head(), draft.foot()
    if height >= SPACIOUS:
        head, foot = [*head, ()], [(), *foot] if foot else []
    return Parts(tuple(head), tuple(draft.body()), tuple(foot))


@dataclass(frozen=True, slots=True)
class _Draft:
    state: ConfirmState
    cells: int  # of a line, a margin on both sides left out
    most: int  # lines that one sentence may take

    def head(self) -> list[Line]:
        """The title, and the sentence that must be read whatever else there is room for."""
        question = self.state.question
        title = self._line(confirm_words.title(self.state), BOLD)
        if self.state.loading:
            return [title, self._line("Looking at what is in there", NOTICE)]
        if question.refused:
            told = self._sentence(question.refused.reason, BAD)
            return [title, *told, *self._sentence(question.refused.remedy)]
        at_stake = self.state.remove and question.losses
        bad = at_stake and self.state.step in (Step.REVIEW, Step.LOSS)
        return [title, *self._sentence(confirm_words.stake(self.state), BAD if bad else "")]

    def body(self) -> list[Line]:
        """Everything by name."""
        question = self.state.question
        match self.state.step:
            case Step.LOSS:
                return self._losses()
            case Step.EVACUATE:
                return self._items(question.others, "  ")
            case Step.BUSY:
                return self._items(tuple(man.text for man in confirm_words.busy(self.state)), "  ")
        return [
            *self._items(question.targets),
            *self._losses(),
            *self._group("In there", tuple(map(_occupant, question.occupants))),
            *self._group("Other sessions in there", question.others),
            *self._group("Also", question.notes),
        ]

    def foot(self) -> list[Line]:
        """The checkbox; what Enter does, and what stays, under what is chosen now."""
        question = self.state.question
        if self.state.loading or question.refused or not question.worktrees:
            return []
        if self.state.step in (Step.EVACUATE, Step.BUSY):
            return []
        lines = self._asked() if self.state.step is Step.REVIEW else []
        cramped = lines and self.most < _ROOMY
        if self.state.message or cramped or not self.state.remove:
            return lines
        stays = " ".join(question.stays_with)
        return lines + self._sentence(stays, DIM, max(self.most - len(lines) + 1, 1))

    def _asked(self) -> list[Line]:
        """The checkbox, and what it makes of Enter."""
        said = self._sentence(self.state.message, NOTICE) if self.state.message else []
        return [*self._checkbox(), *said, *self._sentence(confirm_words.enter(self.state))]

    def _checkbox(self) -> list[Line]:
        question = self.state.question
        icons = self.state.icons
        box = icons.checked if self.state.remove else icons.unchecked
        word = "worktree" if question.worktrees == 1 else f"{question.worktrees} worktrees"
        label = f"{box} Also remove {word}" if question.sessions else f"{box} Remove {word}"
        if question.kept:
            return [self._line(label, DIM), *self._sentence(question.kept.reason, BAD)]
        key = Fragment(" (Space)", DIM, "worktree")
        return [(Fragment(" "), Fragment(label, BOLD, "worktree"), key)]

    def _losses(self) -> list[Line]:
        lines: list[Line] = []
        for loss in self.state.question.losses:
            lines.append(self._line(loss.summary, BOLD))
            lines += self._items(loss.items, "  ")
        return lines

    def _group(self, heading: str, items: tuple[str, ...]) -> list[Line]:
        return [self._line(heading, BOLD), *self._items(items, "  ")] if items else []

    def _items(self, items: tuple[str, ...], before: str = "") -> list[Line]:
        return [self._line(before + item) for item in items]

    def _line(self, said: str, style: str = "") -> Line:
        shown = clip(clean(said), self.cells, self.state.icons.ellipsis)
        return (Fragment(" "), Fragment(shown, style))

    def _sentence(self, said: str, style: str = "", most: int = 0) -> list[Line]:
        lines = paragraph(clean(said), self.cells)
        most = most or self.most
        whole = lines[: most - 1] if len(lines) > most else lines
        cut = [" ".join(lines[len(whole) :])] if len(lines) > len(whole) else []
        return [self._line(line, style) for line in (*whole, *cut)]


def _occupant(man: Occupant) -> str:
    return f"{man.text} (busy)" if man.busy else man.text
