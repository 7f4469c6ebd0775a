"""The expected journal of sent rounds: settled in memory, and posted by the simulator's own rules.

The computation is independent of the services: it neither queries them nor imports their code.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

from loadtest.floor.floor_day import Dealt
from loadtest.traffic.corpus import Site
from loadtest.traffic.simulated_settlements import posted
from shared.contracts.settlements import SettlementPosted, SubmissionRef
from shared.contracts.submissions import submission_hash
from shared.contracts.tables import READER, RoundCompleted
from shared.contracts.wager_totals import FIGURES, WagerTotals
from shared.journal.entry import Account, EntryDraft, Posting, record_digest
from shared.rules import Rules, compile_rules

_LEGS: Final[Mapping[str, Mapping[str, int]]] = {
    "handle": {"handle": -1},
    "payout": {"payout": 1, "meter_payout": -1},
    "vigorish": {"vigorish": -1},
    "meter_expense": {"meter_contribution": 1, "meter_reset": 1},
    "meter_contribution": {"meter_contribution": -1},
    "meter_reset": {"meter_reset": -1},
    "meter_payout": {"meter_payout": 1},
    "attendant": {"meter_payout": -1},
    "account_funded": {"account_staked": 1, "account_credited": -1},
    "banked_wagers": {"banked_handle": -1},
    "banked_payouts": {"banked_payout": 1},
    "bank_collected": {"bank_collected": -1},
    "bank_paid": {"bank_paid": 1},
    "bank_settlement": {"house_in_bank": 1},
    "house_in_bank": {"house_in_bank": -1},
}
"""The signed figures that are summed for each leg of a wager type, in the order of an entry (docs/decisions/0004)."""

_VERSION: Final = 1
"""The version number of every rules submission, because each is filed once."""


class _Game(NamedTuple):
    rules: Rules[Any]
    submission: SubmissionRef


class Expected:
    """Settles the rounds of some properties, and derives their expected entries.

    `figures` are the sums over all rounds whose entries were drafted, and `rounds` is the number of these rounds.
    """

    def __init__(self, sites: Sequence[Site]) -> None:
        """Compile the rules of each table."""
        self.figures: Counter[str] = Counter()
        self.rounds = 0
        self._properties = {site.document.property for site in sites}
        self._games: dict[tuple[str, str], _Game] = {}
        for site in sites:
            for wanted in site.submissions:
                ref = SubmissionRef(version=_VERSION, hash=submission_hash(wanted, _VERSION))
                game = _Game(compile_rules(wanted.regulation, wanted.submission), ref)
                self._games |= dict.fromkeys(((wanted.property, table) for table in wanted.tables), game)

    def of_property(self, name: str | None) -> bool:
        """Return whether this object settles the rounds of a property."""
        return name in self._properties

    def draft(self, sent: bytes, *, key: bytes, offset: int, headers: Iterable[tuple[str, bytes | None]]) -> EntryDraft:
        """Return the expected entry of a completed round, given its record's offset in the partition."""
        event = READER.decode(sent)
        assert isinstance(event, RoundCompleted), "corpora are of completed rounds"
        data = event.data
        game = self._games[data.property, data.table]
        fact = posted(Dealt(data, game.rules.settle(data.round), 0), game.submission)
        self._add(fact)
        return EntryDraft(
            kind=SettlementPosted.KIND.name,
            source=event.source,
            sequence=event.sequence,
            event_id=event.id,
            offset=offset,
            record_hash=record_digest(key, sha256(sent).digest(), tuple(headers)),
            gaming_day=data.gaming_day,
            occurred_at=event.time,
            data=fact.encode(),
            postings=tuple(postings(data.property, data.table, fact.totals)),
        )

    def _add(self, fact: SettlementPosted) -> None:
        self.rounds += 1
        for total in fact.totals:
            self.figures.update(dict(total.figures()))
            self.figures["chips_cents"] += total.chips_cents


def postings(property_name: str, table: str, totals: Iterable[WagerTotals]) -> Iterator[Posting]:
    """Yield the expected postings of a round in cents: each leg's amount, then the change of the table's chips."""
    chips = 0
    for total in totals:
        for leg, parts in _LEGS.items():
            cents = sum(sign * getattr(total, f"{name}_cents") for name, sign in parts.items())
            if cents:
                yield Posting(Account(property_name, table, total.wager, leg), cents)
                chips -= cents
    if chips:
        yield Posting(Account(property_name, table, "", "chips"), chips)


assert {f"{name}_cents" for parts in _LEGS.values() for name in parts} == set(FIGURES) - {"count"}
"""Every figure except the count moves money."""
