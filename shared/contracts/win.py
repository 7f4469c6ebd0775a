"""Facts about the win of a table in the table-inventory ledger, for consumers to sum. Amounts are cents.

A table's gaming day has one win, which this ledger computes from counts, movements and boxes. Other services compute no
win: each of their figures is a sum of the `changes` in these facts.
"""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from shared.contracts.envelope import Contract, Name
from shared.contracts.facts import Fact, fact
from shared.contracts.inventory import NonBanking, Number, OfTableDay
from shared.contracts.topics import INVENTORY

MissingKind = Literal["opener", "closer", "day_count", "drop", "box", "count", "slip"]
"""The kinds of records that can be missing from a table's day.

`opener`: the opener before some activity; `closer`: the closer of a session; `day_count`: the count at the end of a
gaming day over which the table stayed open; `drop`: the exchange of a session's box; `box`: a placed box that has not
come back; `count`: the count of a box that has come back; `slip`: the last step of a slip.
"""

Cents = Annotated[int, Field(strict=True)]
Times = Annotated[int, Field(strict=True)]
"""A number of times; negative in changes."""


class Missing(Contract):
    """A record missing from a table's day since a moment: its kind, and the name of its box or slip (empty if none)."""

    what: MissingKind
    name: str = ""
    since: AwareDatetime


class ShiftTime(Contract):
    """A period in which a table was open in a shift: after `since`, through `until` (None: ongoing)."""

    since: AwareDatetime
    until: AwareDatetime | None = None


class WinFigures(Contract):
    """The figures of a table in a shift of a gaming day, or their changes; the figures of a day are their sums.

    A count between two shifts of one gaming day is the closer of the first and the opener of the second, and is
    included in `handed_over_cents` of the first. The day's opener is therefore the sum of its shifts' openers less
    `handed_over_cents`; the day's closer is computed in the same way. A count at the end of a gaming day is the closer
    of its last shift and the opener of the next day. `carried` inventories are included in opener and closer.

    `currency_cents` to `direct_bet_cents` are the contents of the shift's boxes; `prepaid_cents` was sold for prepaid
    access instead. `drop_cents` is what the law of the gaming day counts as drop. `win_cents` results from the law's
    formula for opener, fills, credits, closer and drop; it is 0 while any record of the shift is missing, so that the
    win of a complete day is the sum over its shifts. `adjusted_cents` is the sum of approved adjustments; `win_cents`
    does not include it. A non-banking table has no win, opener or closer: its `counter_checks_cents` to `rake_cents`
    are the contents of its boxes.

    `counted_win_cents` is the amount that counts found at a counted table beyond all recorded movements: in the tray
    and, where sales are not reported one by one, in the boxes. It includes `unrecorded_currency_cents` and
    `unrecorded_checks_cents`, the amounts found in the boxes. Like the win, it is 0 while any record of the shift is
    missing.
    """

    opener_cents: Cents = 0
    closer_cents: Cents = 0
    handed_over_cents: Cents = 0
    fills_cents: Cents = 0
    credits_cents: Cents = 0
    prepaid_cents: Cents = 0
    coupons_paid_cents: Cents = 0
    vigorish_waived_cents: Cents = 0
    currency_cents: Cents = 0
    counter_checks_cents: Cents = 0
    coupons_cents: Cents = 0
    match_play_cents: Cents = 0
    direct_bet_cents: Cents = 0
    drop_cents: Cents = 0
    win_cents: Cents = 0
    adjusted_cents: Cents = 0
    rake_cents: Cents = 0
    counted_win_cents: Cents = 0
    unrecorded_currency_cents: Cents = 0
    unrecorded_checks_cents: Cents = 0
    openings: Times = 0
    closings: Times = 0
    carried: Times = 0
    boxes: Times = 0
    boxes_counted: Times = 0

    def __add__(self, other: "WinFigures") -> "WinFigures":
        """Return the sum of these figures and `other`, figure by figure."""
        return WinFigures(**{name: value + getattr(other, name) for name, value in self})

    def __sub__(self, other: "WinFigures") -> "WinFigures":
        """Return these figures less `other`, figure by figure."""
        return WinFigures(**{name: value - getattr(other, name) for name, value in self})


@fact("win.stated", INVENTORY, moves_money=True)
class WinStated(Fact, OfTableDay):
    """The figures of a table in a shift of a gaming day, according to all records so far.

    When later records change the figures, the fact is recorded again as the next `revision`. `changes` are its
    `figures` less those of the previous revision; `lost` are the items newly `missing`, and `found` those no longer
    missing. The changes in all revisions recorded up to a moment add up to the figures as known at that moment; the
    same holds for the missing items. `counts` and `boxes` are the sequences, in the table's pit stream, of the counts
    and box exchanges behind the figures; `times` are the periods in which the table was open in the shift. Every
    movement within them belongs to this shift, regardless of the shift that its event states. The fact posts the change
    to its counted win.
    """

    shift: Name
    revision: Number
    figures: WinFigures
    changes: WinFigures
    missing: tuple[Missing, ...] = ()
    lost: tuple[Missing, ...] = ()
    found: tuple[Missing, ...] = ()
    counts: tuple[Number, ...] = ()
    boxes: tuple[Number, ...] = ()
    times: tuple[ShiftTime, ...] = ()
    non_banking: NonBanking = None
