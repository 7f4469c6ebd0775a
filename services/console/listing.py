"""Tables of records with the commands available for each record, as used on most pages."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from services.console.services import Missing
from services.console.views import words_of
from services.console.words import said, say

Record = Mapping[str, Any]

MOVED: Final = (
    "at",
    "kind",
    "table",
    "game",
    "round_id",
    "in_cents",
    "contribution_cents",
    "award_cents",
    "shown_cents",
)
"""The columns of the table of meter movements."""


@dataclass(frozen=True, slots=True)
class Act:
    """A command for a record; `values` prefills the form's fields."""

    service: str
    name: str
    values: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""


@dataclass(frozen=True, slots=True)
class Col:
    """A table column: the record's field to show, and the unit of the values."""

    name: str
    unit: str = "text"

    @property
    def heading(self) -> str:
        """Return the heading: the column's text in words.yaml, or else the field's name as words."""
        return said("site.headings").get(self.name) or words_of(self.name.removesuffix("_cents"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A table of records: `acts` returns a record's commands, `link` the URL for its first cell, or ""."""

    title: str
    rows: Sequence[Record]
    columns: Sequence[Col]
    acts: Callable[[Record], Iterable[Act]] | None = None
    link: Callable[[Record], str] | None = None
    more: Iterable[Act] = ()
    missing: str = ""
    cut: bool = False
    """Whether there are more records than shown."""

    @property
    def empty(self) -> str:
        """Return the text shown instead of an empty table."""
        return self.missing or say("site.nothing")


def listed(
    name: str,
    answer: Any,
    columns: Sequence[Col],
    *,
    acts: Callable[[Record], Iterable[Act]] | None = None,
    link: Callable[[Record], str] | None = None,
    more: Iterable[Act] = (),
    only: Callable[[Record], bool] = lambda _: True,
    seen: Callable[[Record], Record] = lambda one: one,
) -> Listed:
    """Return a table of the records in a service's answer; if the answer is missing, an empty table with the reason.

    `only` selects the records shown; `seen` converts a record before it is shown.
    """
    if isinstance(answer, Missing):
        return Listed(title=say(name), rows=(), columns=columns, more=more, missing=answer.why)
    page = {"items": answer} if isinstance(answer, list) else answer
    return Listed(
        title=say(name),
        rows=[seen(one) for one in page["items"] if only(one)],
        columns=columns,
        acts=acts,
        link=link,
        more=more,
        cut="next" in page,
    )


def filled(lists: Iterable[Listed]) -> tuple[list[Listed], list[str]]:
    """Return the lists with rows or commands, and one sentence per reason that names the other, empty lists.

    >>> empty = [Listed(title=one, rows=(), columns=()) for one in ("Prepared", "Sent")]
    >>> filled([*empty, Listed(title="Due", rows=(), columns=(), missing="reporting does not answer")])
    ([], ['No entries in: Prepared; Sent.', 'reporting does not answer (Due)'])
    """
    shown: list[Listed] = []
    empty: dict[str, list[str]] = {}
    for one in lists:
        if one.rows or one.more:
            shown.append(one)
        else:
            empty.setdefault(one.missing, []).append(one.title)
    titles = {why: "; ".join(named) for why, named in empty.items()}
    return shown, [
        say("site.missing_of", why=why, titles=of) if why else say("site.none_of", titles=of)
        for why, of in titles.items()
    ]


def cols(*names: str) -> list[Col]:
    """Return columns; the unit of each follows from its name.

    >>> [one.unit for one in cols("table", "win_cents", "received_at", "number")]
    ['text', 'cents', 'moment', 'count']
    >>> [one.heading for one in cols("drawer", "left_cents", "cents")]
    ['Drawn by', 'Left', 'Amount']
    """
    return [Col(name, _unit(name)) for name in names]


def _unit(name: str) -> str:
    if name == "cents" or name.endswith("_cents"):
        return "cents"
    if name.endswith("_at") or name in ("at", "since", "before", "effective_from", "locked_until"):
        return "moment"
    counts = ("number", "request", "version", "rounds_left", "in_count", "hits", "revision", "records", "until")
    return "count" if name in counts else "text"


def flat(one: Record) -> Record:
    """Return a meter movement as one flat record."""
    return {**one["movement"], **one}
