"""A fast decoder of posted rounds: a month of a casino has millions. Pure.

The result has the same members as `PostedRound` and its envelope, and no record that they refuse is accepted: anything
unlike the usual output of round settlement is left to them.
"""

import re
from datetime import date, datetime
from functools import lru_cache
from operator import attrgetter
from typing import Annotated, Any, Final, Literal, TypeAlias, cast, get_args

import msgspec

from services.reporting.domain.views import Line, PostedRound, Record
from shared.contracts.envelope import Digest, Event, Identifier, Name, Source, shard_of
from shared.contracts.wager_totals import FIGURES, WagerTotals


def _pattern(name: Any) -> str:
    """Return the pattern that a type of the contracts has."""
    found: str = get_args(name)[1].pattern
    return found


_Moment = Annotated[datetime, msgspec.Meta(tz=True)]
_Id = Annotated[str, msgspec.Meta(pattern=_pattern(Identifier))]
_Hash = Annotated[str, msgspec.Meta(pattern=_pattern(Digest))]
_Number = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
_Nothing = Annotated[tuple[str, ...], msgspec.Meta(max_length=0)]

_Totals: Final = msgspec.defstruct(
    "_Totals",
    [("wager", str), *((name, int, 0) for name in FIGURES)],
    namespace={"chips_cents": WagerTotals.chips_cents},
    gc=False,
)


class _Submission(msgspec.Struct, gc=False):
    version: int
    hash: _Hash


class _AccountWager(msgspec.Struct, gc=False):
    account: str
    seat: int
    wager: str


class QuickRound(msgspec.Struct, gc=False):
    """A posted round without notices or correction."""

    regulation: str
    property: str
    table: str
    game: str
    gaming_day: date
    round_id: str
    revision: int
    closed_at: _Moment
    submission: _Submission
    totals: tuple[_Totals, ...]  # type: ignore[valid-type]  # made of FIGURES
    lines: tuple[Line, ...]
    record: Record
    account_credits: tuple[_AccountWager, ...] = ()
    dealer_id: str | None = None
    notices: _Nothing = ()
    correction: None = None


class _Entry(msgspec.Struct, gc=False):
    specversion: Literal["1.0"]
    id: _Id
    source: str
    type: Literal["settlement.posted"]
    time: _Moment
    sequence: _Number
    recordedat: _Moment
    entryhash: _Hash
    data: QuickRound
    subject: str | None = None
    datacontenttype: Literal["application/json"] = "application/json"
    dataschema: str | None = None
    movesmoney: bool = False

    @property
    def shard(self) -> int:
        """Return the number of the shard in its publisher's journal."""
        return _shard_of(self.source)


AnyPosted: TypeAlias = PostedRound | QuickRound
"""A posted round from either decoder."""

_ENTRY: Final = msgspec.json.Decoder(_Entry)
_shard_of: Final = lru_cache(shard_of)


def quick_round(raw: bytes) -> Event[Any] | None:
    """Return the entry of a posted round without notices or correction; None for anything else, including errors."""
    if b"\\" in raw and b"\\u" in raw:
        return None  # half of a pair may be escaped in what is passed over
    try:
        raw.decode()  # msgspec does not look into what it passes over
        entry = _ENTRY.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if not (_is_source(entry.source) and _are_names(tuple(map(_wager, entry.data.totals)))):
        return None
    return cast("Event[Any]", entry)  # it has the members of one


_wager = attrgetter("wager")
_NAME: Final = re.compile(_pattern(Name))
_SOURCE: Final = re.compile(_pattern(Source))


@lru_cache(maxsize=4096)
def _is_source(text: str) -> bool:
    """Return whether a text is a valid source; cached because few sources occur in millions of records."""
    return _SOURCE.search(text) is not None


@lru_cache(maxsize=4096)
def _are_names(texts: tuple[str, ...]) -> bool:
    """Return whether texts are valid names; cached because rounds of a game share the same wagers."""
    return all(map(_NAME.search, texts))
