"""What ties the seat of a rating to its patron: the signed word of a device of the table, and nobody else's."""

from collections.abc import Sequence
from typing import Any

import pytest

from shared.contracts.derived_rating import RecordedStep, rating_of
from shared.contracts.ratings import RatingValues
from tests.unit.table_inventory.test_ratings import after, step

HERE, THERE = "BJ-01-reader", "BJ-02-reader"
OPENED = step(1, "opened", 0, patron="P-7", seat=3, average_bet_cents=50_00, device_key=HERE)
CLOSED = step(9, "closed", 900, device_key=HERE)


def ties(*steps: RecordedStep) -> list[tuple[str, int | None, float, str | None, float | None]]:
    """Of each span its table and seat, when it begins, the key that tied the seat, and since when."""
    return [
        (
            span.table,
            span.seat,
            (span.begins - after(0)).total_seconds(),
            None if span.tie is None else span.tie.device_key,
            None if span.tie is None else (span.tie.since - after(0)).total_seconds(),
        )
        for span in rating_of(steps).spans
    ]


def keys(*steps: RecordedStep) -> Sequence[str | None]:
    """Of each span the key that tied its seat."""
    return [key for _, _, _, key, _ in ties(*steps)]


def test_a_tie_lasts_until_the_patron_moves_or_pauses_and_a_signed_step_ties_again() -> None:
    """A new bet does not end it; every other step of a reader ties the seat from its moment on."""
    assert [
        ("BJ-01", 3, 0, HERE, 0),
        ("BJ-01", 3, 100, HERE, 0),
        ("BJ-01", 3, 300, HERE, 300),
        ("BJ-02", 1, 400, THERE, 400),
    ] == ties(
        OPENED,
        step(2, "bet", 100, average_bet_cents=80_00),
        step(3, "paused", 200),
        step(4, "resumed", 300, device_key=HERE),
        step(1, "moved", 400, "BJ-02", seat=1, device_key=THERE),
        step(2, "closed", 900, "BJ-02"),
    )


@pytest.mark.parametrize(
    "steps",
    [
        (step(1, "opened", 0, patron="P-7", seat=3), step(2, "moved", 0, seat=4, device_key=HERE)),
        (step(1, "opened", 0, patron="P-7", device_key=HERE),),
        (OPENED, step(2, "moved", 0, seat=4)),
        (OPENED, step(2, "moved", 0, device_key=HERE)),
        (OPENED, step(2, "paused", 1, device_key=HERE), step(3, "resumed", 2)),
        (OPENED, step(2, "paused", 1, device_key=HERE), step(1, "resumed", 2, "BJ-02", device_key=THERE)),
    ],
    ids=["patron by the desk", "no seat", "moved by the desk", "moved to no seat", "resumed by the desk", "elsewhere"],
)
def test_a_seat_is_tied_only_where_devices_of_its_table_say_who_plays_where(steps: Sequence[RecordedStep]) -> None:
    """The patron, the seat, and that the patron plays: a person's word on one of them leaves it a person's word."""
    assert keys(*steps, CLOSED)[-1] is None


def amended(key: str | None, stream: str = "BJ-01", **values: Any) -> RecordedStep:
    """An amendment of the opening, in the rating stream of a table."""
    one = step(5, "amended", 950, stream, amends="BJ-01/1", reason="said wrongly", device_key=key)
    return one._replace(fact=one.fact.model_copy(update={"values": RatingValues(**values)}))


@pytest.mark.parametrize("said", [{"patron": "P-8"}, {"seat": 4}, {"table": "BJ-02"}, {"at": after(5)}])
def test_an_amendment_of_who_played_where_unties_the_seat_unless_a_device_of_the_table_signs_it(
    said: dict[str, Any],
) -> None:
    """An amended bet does not; nor does an amendment tie what was not tied."""
    here, elsewhere = ("BJ-02", "BJ-01") if "table" in said else ("BJ-01", "BJ-02")
    assert [None] == keys(OPENED, amended(None, **said), CLOSED)
    assert [None] == keys(OPENED, amended(HERE, elsewhere, **said), CLOSED)
    assert [THERE] == keys(OPENED, amended(THERE, here, **said), CLOSED)
    unsigned = step(1, "opened", 0, patron="P-7", seat=3, average_bet_cents=50_00)
    assert [None] == keys(unsigned, amended(HERE, here, **said), CLOSED)
    assert [HERE] == keys(OPENED, amended(None, average_bet_cents=5_00), CLOSED)


def test_a_reader_ties_again_where_the_desk_amended_the_seat_but_not_where_it_amended_the_patron() -> None:
    """The patron of a rating is who its opening says: another seat of the opening leaves that word the device's."""
    moved = step(2, "moved", 300, seat=5, device_key=HERE)
    assert [None, HERE] == keys(OPENED, amended(None, seat=4), moved, CLOSED)
    assert [None, None] == keys(OPENED, amended(None, patron="P-8"), moved, CLOSED)
    assert [HERE, HERE] == keys(OPENED, amended(HERE, patron="P-8"), moved, CLOSED)
