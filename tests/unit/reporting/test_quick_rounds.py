"""What is read quickly is what the views say; whatever they refuse is left to them."""

import json
from datetime import date
from itertools import islice
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from loadtest.casino import casino
from loadtest.games import pit
from loadtest.synthetic_month import month
from services.reporting.domain.quick_rounds import quick_round
from services.reporting.domain.views import PostedRound, ReversedRound, SupersededRound, VoidedRound
from services.reporting.handlers import OF_INPUT
from shared.contracts.settlements import SettlementPosted
from shared.contracts.topic_reader import Reader
from shared.contracts.topics import SETTLEMENTS
from shared.rules.errors import Refused
from tests.unit.reporting.entries import CORRECTION, Shard, total

READER: Final = Reader(SETTLEMENTS, PostedRound, ReversedRound, SupersededRound, VoidedRound, *OF_INPUT)
"""The views alone."""
QUICK: Final = Reader(
    SETTLEMENTS, PostedRound, ReversedRound, SupersededRound, VoidedRound, *OF_INPUT, quick=quick_round
)
"""As the service reads."""
POSTED: Final = Shard().posted(1, "BJ-01", [total(handle=500, payout=1)], dealer_id="d-1")


def _raw(document: Any) -> bytes:
    return json.dumps(document).encode()


def _members(said: Any) -> dict[str, Any]:
    """Return what a model or a structure has."""
    return dict(said) if isinstance(said, BaseModel) else msgspec.structs.asdict(said)


def _said(event: Any) -> dict[str, Any]:
    """Return all that an event says, with its parts as documents."""
    data = _members(event.data)
    for name in ("totals", "account_credits"):
        data[name] = [_members(one) for one in data[name]]
    return _members(event) | {"data": data | {"submission": _members(data["submission"])}, "shard": event.shard}


def test_what_is_nested_too_deeply_is_left_to_the_views() -> None:
    """What is passed over may be nested as deeply as somebody likes: it is refused, and nothing else is raised."""
    deep = _raw(POSTED).replace(b'"data":', b'"x":' + b"[" * 3_000 + b"]" * 3_000 + b',"data":')
    assert quick_round(deep) is None
    with pytest.raises(Refused):
        QUICK.decode(deep)


def test_every_game_is_read_as_by_the_views() -> None:
    """Rounds of every game on the floor are taken, and say the same in the same types."""
    where = casino("bayside", pit(24), date(2026, 5, 8))
    stream = month(where, gaming_days=[date(2026, 5, 8)], rounds_per_table_day=8, seed=3, rounds_in_pool=8)
    for _, value in islice(stream, 120):
        quick, read = quick_round(value), READER.decode(value)
        if read.data.notices:
            assert quick is None
            continue
        assert quick is not None
        assert _said(read) == _said(quick)


def test_all_that_the_view_has_is_read() -> None:
    """A field that the view gets must be read quickly too, or nothing may be."""
    quick = quick_round(_raw(POSTED))
    assert quick is not None
    for read, found in ((PostedRound, quick.data), (type(READER.decode(_raw(POSTED))), quick)):
        assert issubclass(read, BaseModel)
        assert read.model_fields.keys() == _members(found).keys()


@pytest.mark.parametrize(
    "change",
    [
        {"correction": CORRECTION},
        {"notices": [{"code": "c", "paragraph": "p", "detail": "d"}]},
        {"closed_at": "2026-11-20T12:00:00"},
        {"totals": [{"wager": "a b", "count": 1}]},
        {"totals": [{"wager": "ante", "count": 1.5}]},
        {"gaming_day": "yesterday"},
        {"submission": {"version": 1, "hash": "x"}},
    ],
    ids=lambda change: str(next(iter(change))),
)
def test_what_is_not_as_usual_is_left_to_the_views(change: dict[str, Any]) -> None:
    """Corrections and notices, and what is malformed."""
    assert quick_round(_raw(POSTED | {"data": POSTED["data"] | change})) is None


@given(st.data())
def test_nothing_is_taken_that_the_views_refuse(data: st.DataObject) -> None:
    """Whatever bytes of a record are replaced: what is taken all the same says what the views read of it."""
    raw = bytearray(_raw(POSTED))
    for place in data.draw(st.lists(st.integers(0, len(raw) - 1), min_size=1, max_size=3)):
        raw[place] = data.draw(st.sampled_from(b'\x00\x80\xff"{}[],:019 azZ/-+e.\\'))
    try:
        quick = QUICK.decode(bytes(raw))
    except Refused:
        return  # the views have refused it
    try:
        read = READER.decode(bytes(raw))
    except Refused as refused:
        pytest.fail(f"{bytes(raw)!r} was taken: {refused}")
    assert _said(read) == _said(quick)


def test_what_is_read_quickly_is_of_the_version_that_is_written() -> None:
    """An older version goes through its upcasters: whoever gives the kind another one changes what is read quickly."""
    assert SettlementPosted.KIND.type == POSTED["type"]
    assert quick_round(_raw(POSTED)) is not None
    assert None is quick_round(_raw(POSTED | {"type": "settlement.posted.v2"}))
