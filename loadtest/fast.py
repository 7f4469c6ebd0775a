"""A month of a casino as round settlement publishes it, faster than it could be played: for volume, not for luck.

A pool of real rounds of each game is played and settled once. Each message is one of them with another place and
time: property, table, round, dealer, moments, gaming day, sequence and hash are put into bytes that are ready. So every
message is what the service would publish but for two things: meters read as in the pool and do not chain, and rare rows
come as often as they came in the pool, which makes no sample for tests of luck.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from itertools import islice
from operator import itemgetter
from random import Random
from types import SimpleNamespace
from typing import Final

from loadtest.floor import Dealt, opening, pace, table_rounds
from loadtest.game import TablePlan
from loadtest.games import rules_submissions
from loadtest.pit_table import SHIFTS
from loadtest.posted import posted
from loadtest.property import property_document
from shared.contracts.envelope import shard_source, table_source
from shared.contracts.properties import PropertyApproved, property_hash
from shared.contracts.settlements import SettlementPosted, SubmissionRef
from shared.contracts.submissions import SubmissionApproved, submission_hash
from shared.runtime.publish.relay import entry_message

ROUNDS_IN_POOL: Final = 300
"""So many rounds of each kind of table are played and settled."""
SHARDS: Final = 12
"""Partitions of `table.events`, each of which has a shard of the journal (infra/topics.yaml)."""
STINT_ROUNDS: Final = 40
"""A dealer moves on to the next table after so many rounds."""
_TABLES_PER_BREAK: Final = 4
"""Of five dealers on a shift, four deal and one has a break."""

_DEALING: Final = 0.8
"""A round takes so much of the time from one opening to the next."""
_RECORDED: Final = timedelta(milliseconds=40)
"""A round is recorded so long after it closed."""
_FILED: Final = timedelta(days=2)
"""Property and submissions are filed and approved so long before the first gaming day."""
_SERVICE: Final = "round-settlement"

# What stands in a round of the pool where a message has something of its own; nothing else in a round looks like it.
_PROPERTY, _TABLE, _ROUND, _DEALER = "slot.property", "slot.table", "slot.round", "slot.dealer"
_OPENED, _CLOSED, _OCCURRED, _RECORDED_AT = (datetime(2000, 1, day, tzinfo=UTC) for day in (1, 2, 3, 4))
_DAY: Final = date(2000, 2, 1)
_SHARD, _SEQ = 2_000_000_001, 2_000_000_002
_HASH, _DATA = "slot.hash", "slot.data"

_SLOTS: Final = (
    _PROPERTY, _TABLE, _ROUND, _DEALER, "2000-01-01T00:00:00Z", "2000-01-02T00:00:00Z", _DAY.isoformat(),
    _OCCURRED.isoformat(), _RECORDED_AT.isoformat(), str(_SHARD), str(_SEQ), _HASH, _DATA,
)  # fmt: skip
_SPLIT: Final = re.compile(b"(" + b"|".join(re.escape(slot.encode()) for slot in _SLOTS) + b")")


class Form:
    """Bytes with places for those of `_SLOTS`."""

    def __init__(self, text: bytes) -> None:
        """Find the places."""
        parts = _SPLIT.split(text)
        self._literals = tuple(parts[::2])
        places = {slot.encode(): len(self._literals) + number for number, slot in enumerate(_SLOTS)}
        order = [number // 2 if number % 2 == 0 else places[part] for number, part in enumerate(parts)]
        self._in_order = itemgetter(*order)

    def filled(self, values: tuple[bytes, ...]) -> bytes:
        """Return the bytes with the values of the slots, in the order of `_SLOTS`; the last ones may be missing."""
        return b"".join(self._in_order(self._literals + values))


@dataclass(frozen=True, slots=True)
class Casino:
    """A casino that can settle rounds: its tables, and the approved facts about it, from before its first gaming day.

    What is approved goes to the topics `properties` and `submissions`.
    """

    property: PropertyApproved
    submissions: tuple[SubmissionApproved, ...]
    plans: tuple[TablePlan, ...]


def casino(property_name: str, plans: Sequence[TablePlan], first_day: date) -> Casino:
    """Return a casino with these tables, all of one state, with everything approved."""
    filed_at = opening(first_day) - _FILED
    people = {
        "filed_by": "controller-501",
        "filed_at": filed_at,
        "approved_by": "regulator-601",
        "approved_at": filed_at + timedelta(hours=1),
    }
    document = property_document(property_name, plans, first_day)
    wanted = rules_submissions(property_name, tuple(plans), document.effective_from)
    return Casino(
        property=PropertyApproved(**dict(document), version=1, hash=property_hash(document, 1), **people),
        submissions=tuple(
            SubmissionApproved(**dict(one), version=1, hash=submission_hash(one, 1), **people) for one in wanted
        ),
        plans=tuple(plans),
    )


def month(
    where: Casino,
    *,
    gaming_days: Sequence[date],
    rounds_per_table_day: int,
    seed: int,
    rounds_in_pool: int = ROUNDS_IN_POOL,
    shards: int = SHARDS,
) -> Iterator[tuple[bytes, bytes]]:
    """Yield key and value of each message on `settlements`, in the order of time; nothing is held but the pool.

    Each shard has a dense sequence from 1. A hash is that of the one before it and of the data: no journal stands
    behind it.
    """
    pools = _pools(where, seed, rounds_in_pool)
    rota = _Rota(len(where.plans))
    chance = Random(f"{seed}/month")
    streams = [_Shard(number) for number in range(shards)]
    seats = [(plan.name, pools[_kind(plan)], streams[number % shards]) for number, plan in enumerate(where.plans)]
    name = where.property.property.encode()
    seconds = pace(rounds_per_table_day)
    for gaming_day in gaming_days:
        begins, day_text = opening(gaming_day).astimezone(UTC), gaming_day.isoformat().encode()
        for number in range(rounds_per_table_day):
            place = f"-{gaming_day:%Y%m%d}-{number + 1:05}"
            shift = SHIFTS[number * len(SHIFTS) // rounds_per_table_day]
            for table, (table_name, pool, stream) in enumerate(seats):
                opened = begins + timedelta(seconds=seconds * (number + table / len(seats)))
                closed = opened + timedelta(seconds=seconds * _DEALING)
                closed_text = closed.isoformat().encode()
                of_round = (
                    name,
                    table_name.encode(),
                    f"{table_name}{place}".encode(),
                    rota.dealer(shift, table, number).encode(),
                    _zulu(opened.isoformat().encode()),
                    _zulu(closed_text),
                    day_text,
                )
                data = pool[int(chance.random() * len(pool))].filled(of_round)
                yield stream.key, stream.message(of_round, data, closed_text, closed + _RECORDED)


class _Shard:
    """A shard of the journal as it is published."""

    def __init__(self, number: int) -> None:
        self.key = shard_source(_SERVICE, number).encode()
        self._number = b"%d" % number
        self._seq = 0
        self._hash = ""

    def message(self, of_round: tuple[bytes, ...], data: bytes, closed: bytes, recorded_at: datetime) -> bytes:
        self._seq += 1
        self._hash = sha256(self._hash.encode() + data).hexdigest()
        of_entry = (closed, recorded_at.isoformat().encode(), self._number, b"%d" % self._seq, self._hash.encode())
        return _ENVELOPE.filled((*of_round, *of_entry, data))


class _Rota:
    """Who deals where: dealers move from table to table, and one in five has a break."""

    def __init__(self, tables: int) -> None:
        self._dealers = tables + -(-tables // _TABLES_PER_BREAK)

    def dealer(self, shift: str, table: int, round_number: int) -> str:
        return f"dealer-{shift}-{(table + round_number // STINT_ROUNDS) % self._dealers + 1:03}"


def _zulu(moment: bytes) -> bytes:
    """Return a moment in UTC as contracts write it."""
    return moment.removesuffix(b"+00:00") + b"Z"


def _kind(plan: TablePlan) -> tuple[str, int, int]:
    return plan.game, plan.seats, plan.minimum_cents


def _pools(where: Casino, seed: int, rounds: int) -> Mapping[tuple[str, int, int], Sequence[Form]]:
    refs = {one.game: SubmissionRef(version=one.version, hash=one.hash) for one in where.submissions}
    pools: dict[tuple[str, int, int], Sequence[Form]] = {}
    for plan in where.plans:
        if _kind(plan) not in pools:
            played = table_rounds(property_name=_PROPERTY, plan=replace(plan, name=_TABLE), gaming_day=_DAY, seed=seed)
            pools[_kind(plan)] = [_form(one, refs[plan.game]) for one in islice(played, rounds)]
    return pools


def _form(dealt: Dealt, submission: SubmissionRef) -> Form:
    own = {"round_id": _ROUND, "opened_at": _OPENED, "closed_at": _CLOSED, "dealer_id": _DEALER}
    return Form(posted(dealt, submission).model_copy(update=own).encode())


def _envelope() -> Form:
    row = SimpleNamespace(
        seq=_SEQ,
        kind=SettlementPosted.KIND.name,
        source=table_source(_PROPERTY, _TABLE),
        occurred_at=_OCCURRED,
        recorded_at=_RECORDED_AT,
        hash=_HASH,
        data=_DATA,
    )
    return Form(entry_message(shard_source(_SERVICE, _SHARD), _SHARD, row))


_ENVELOPE: Final = _envelope()
