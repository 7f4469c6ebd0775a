"""One table of a simulated pit from its opener to its closer: the staff's reports, and the expected books."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final

from loadtest.floor.floor_day import opening
from loadtest.floor.game import TablePlan
from loadtest.floor.pit_items import (
    PAR_CENTS,
    Counted,
    Dropped,
    Overpaying,
    PaperFill,
    PitEvent,
    RoundInPit,
    Slip,
    TableMoney,
    Vigorish,
    contents,
    dealt_from_hand,
)

SHIFTS: Final = ("day", "swing")
LOW_CENTS: Final = 50_000_00
"""The inventory, in cents, below which the pit requests a fill before it sells more chips."""
HIGH_CENTS: Final = 250_000_00
"""The inventory, in cents, above which a table sends the excess over par to the cage at the change of shifts."""
CREDIT_CENTS: Final = 2_000_00
"""The amount, in cents, of every third table's credit to the cage in the second shift, and of the fill on paper."""
PLANTED_CENTS: Final = -100_00
"""The planted variance of the first table's shift count, in cents."""
COUPON_CENTS: Final = 10_00
"""The stated value of a coupon in cents; no wager is smaller, as match play coupons require."""
OVER_COLLECTED_CENTS: Final = 1_00
"""The amount of vigorish, in cents, that a dealer once collects too much and returns."""
TIPS_CENTS: Final = 50
"""The dealers' tips per round, in cents."""
PAPER_NUMBER: Final = 70_411
"""The number printed on the paper slip."""

PIT, CAGE, FLOORPERSON, SHIFT_MANAGER, SECURITY = "demo.pit", "demo.cage", "floor-101", "shift-201", "security-301"
TIP_COLLECTOR: Final = "tips-401"

_ROUNDS: Final = 60
"""The number of rounds, about an hour, in which one coupon is dropped and chips are changed once."""
_COUPON_ROUND, _CHANGE_ROUND = 5, 8
_COUPONS: Final = ("match_play", "direct_bet")
_BUYERS: Final = 8
"""The number of players buying chips per player who buys them for a counter check."""
_CHECK_BUYER: Final = 2

_CARD_LIFE: Final = timedelta(hours=3, minutes=50)
"""The interval at which cards are changed, within the shortest clock of four hours."""
FORGOTTEN: Final = timedelta(hours=4, minutes=10)
"""The age at which forgotten cards are changed; cards dealt from the hand last four hours."""
_MINUTE, _SECOND = timedelta(minutes=1), timedelta(seconds=1)


@dataclass(slots=True)
class TableDay:
    """The day of a table, which opens with `opener_cents`: its events, slips, boxes and counts, and the expected books.

    Planned incidents: `sends_credit`, `on_paper` (a fill), `short` (a variance), `forgets_cards` (changed too late),
    `overpaying` (a dealer). `counts` are the counts after the opener.
    """

    plan: TablePlan
    gaming_day: date
    vigorish: Vigorish
    sends_credit: bool
    on_paper: bool
    short: bool
    forgets_cards: bool
    overpaying: Overpaying | None = None
    opener_cents: int = PAR_CENTS
    counts: list[Counted] = field(default_factory=list)
    events: list[PitEvent] = field(default_factory=list)
    slips: list[Slip] = field(default_factory=list)
    paper: list[PaperFill] = field(default_factory=list)
    boxes: list[tuple[str, Dropped]] = field(default_factory=list)
    money: TableMoney = field(default_factory=TableMoney)
    _held: int = field(init=False)
    _box: Dropped = field(default_factory=Dropped)
    _shift: str = SHIFTS[0]
    _buyers: int = 0
    _new_cards_at: datetime | None = None
    _dealers: set[str] = field(default_factory=set)
    _variance: int = 0

    def __post_init__(self) -> None:
        """Put the opening inventory on the table."""
        self._held = self.money.opener = self.money.closer = self.opener_cents

    def play(self, rounds: Sequence[RoundInPit]) -> None:
        """Simulate the pit events between these rounds, which must be in order of time."""
        begin = opening(self.gaming_day)
        if not rounds:
            people: dict[str, Any] = {"recorded_by": FLOORPERSON, "checked_by": SHIFT_MANAGER}
            self._report(begin, "table.carried", contents=contents(self._held), **people)
            self.money.opened = False
            return
        self._open(begin, rounds)
        low_at = begin
        for number, one in enumerate(rounds, start=1):
            if self._new_cards_at is not None and one.opened_at >= self._new_cards_at:
                self._change_cards(low_at)
            self._sell(one, low_at)
            self._collect(one)
            if number % _ROUNDS == _COUPON_ROUND and one.largest is not None:
                self._drop_coupon(one, *one.largest, _COUPONS[number // _ROUNDS % len(_COUPONS)])
            if number % _ROUNDS == _CHANGE_ROUND:
                self._change_chips(one)
            self._held += one.chips
            self._deal(one.dealer)
            self.money.rounds += not one.void
            self.money.rounds_win += one.chips
            low_at = one.closed_at + 4 * _SECOND
            if number == len(rounds) // 2:
                self._change_shift(one)
        self._close(rounds[-1], len(rounds))

    def _open(self, begin: datetime, rounds: Sequence[RoundInPit]) -> None:
        plan = self.plan
        reader, dice = plan.kind.code == "BJ" and not dealt_from_hand(plan), plan.kind.code == "PG"
        self._report(
            begin - 15 * _MINUTE,
            "table.opened",
            contents=contents(self._held),
            dealer=rounds[0].dealer,
            floorperson=FLOORPERSON,
            game=plan.game,
            regulation=plan.regulation,
            card_reader=reader,
            dice=dice,
        )
        at = begin - 14 * _MINUTE
        if reader:
            self._report(at, "card_reader.inspected", passed=True, inspected_by=FLOORPERSON)
        if dice:
            self._report(at, "dice.changed", changed_by=FLOORPERSON)
        self._put_cards(at)
        if self.forgets_cards:
            self._new_cards_at = at + FORGOTTEN

    def _change_cards(self, at: datetime) -> None:
        self.forgets_cards = False
        self._put_cards(at)

    def _put_cards(self, at: datetime) -> None:
        self._report(
            at,
            "cards.changed",
            regulation=self.plan.regulation,
            dealing="hand" if dealt_from_hand(self.plan) else "shoe",
            decks=self.plan.submission.decks or 1,
            counting_shuffler=True,
            changed_by=FLOORPERSON,
        )
        self._new_cards_at = at + _CARD_LIFE

    def _sell(self, one: RoundInPit, low_at: datetime) -> None:
        wanted = sum(one.bought)
        if self._held - wanted < LOW_CENTS:
            self._fill(low_at, one.dealer)
        for cents in one.bought:
            self._buyers += 1
            at = max(opening(self.gaming_day), one.opened_at - _SECOND)
            if self._buyers % _BUYERS == _CHECK_BUYER:
                serial = f"CC-{self.plan.name}-{self.gaming_day:%m%d}-{self._buyers:03}"
                people: dict[str, Any] = {"dealer": one.dealer, "floorperson": FLOORPERSON}
                self._report(at, "counter_check.issued", serial=serial, cents=cents, **people)
                self._box.checks[serial] = cents
                self.money.checks += cents
            else:
                self._report(at, "chips.sold", instrument="currency", cents=cents, dealer=one.dealer)
                self._box.currency += cents
        self._held -= wanted
        self.money.drop += wanted

    def _fill(self, at: datetime, dealer: str) -> None:
        cents = -(-(PAR_CENTS - self._held) // CREDIT_CENTS) * CREDIT_CENTS
        slip = self._slip("fill", at, cents)
        self._report(at, "fill.carried", slip=slip, carried_by=SECURITY)
        people: dict[str, Any] = {"received_by": dealer, "observed_by": FLOORPERSON}
        self._report(at + _SECOND, "fill.received", slip=slip, contents=contents(cents), **people)
        self._held += cents
        self.money.fills += cents

    def _fill_on_paper(self, at: datetime, dealer: str) -> None:
        """Receive a fill on a paper slip, without a pit event; the cage enters the slip after the outage."""
        self.paper.append(PaperFill(self.plan.name, self._shift, CREDIT_CENTS, at, dealer))
        self._held += CREDIT_CENTS
        self.money.fills += CREDIT_CENTS

    def _credit(self, at: datetime, dealer: str, cents: int) -> None:
        slip = self._slip("credit", at, cents)
        people: dict[str, Any] = {"surrendered_by": dealer, "observed_by": FLOORPERSON, "carried_by": SECURITY}
        self._report(at, "credit.carried", slip=slip, **people)
        self._held -= cents
        self.money.credits += cents

    def _slip(self, kind: str, at: datetime, cents: int) -> Slip:
        slip = Slip(kind, self.plan.name, self._shift, cents, at)
        self.slips.append(slip)
        return slip

    def _collect(self, one: RoundInPit) -> None:
        """Collect assessed vigorish. Waive the day's first; for the second, collect too much and return the excess."""
        for seat, bank, cents in one.vigorish:
            what: dict[str, Any] = {"round_id": one.round_id, "seat": seat, "dealer_id": one.dealer, "bank": bank}
            day = self.vigorish
            day.assessed += cents
            if not day.waived:
                day.waived += cents
                self.money.waived += cents
                self._held -= cents
                reason = "announced wrongly by the dealer; the floorperson waived it"
                self._report(one.closed_at, "vigorish.waived", **what, cents=cents, by=FLOORPERSON, reason=reason)
                continue
            extra = 0 if day.returned else OVER_COLLECTED_CENTS
            day.collected += cents + extra
            self._report(one.closed_at, "vigorish.collected", **what, cents=cents + extra, by=one.dealer)
            if extra:
                day.returned += extra
                reason = "a dollar too much was taken"
                at = one.closed_at + _SECOND
                self._report(at, "vigorish.returned", **what, cents=extra, by=FLOORPERSON, reason=reason)

    def _drop_coupon(self, one: RoundInPit, seat: int, won: bool, coupon: str) -> None:
        """Drop a coupon into the box after a win or a loss (§ 603a.21); a winning coupon is paid at even money."""
        paid = COUPON_CENTS if won else 0
        self._report(
            one.closed_at,
            "coupon.dropped",
            coupon=coupon,
            cents=COUPON_CENTS,
            paid_cents=paid,
            round_id=one.round_id,
            seat=seat,
            dealer=one.dealer,
        )
        self._box.coupons[coupon] = self._box.coupons.get(coupon, 0) + 1
        self._held -= paid
        self.money.coupons += COUPON_CENTS
        self.money.coupons_paid += paid

    def _change_chips(self, one: RoundInPit) -> None:
        """Exchange chips for smaller chips of equal value."""
        taken, given = [{"cents": 100_00, "count": 1}], [{"cents": 25_00, "count": 4}]
        self._report(one.closed_at + _SECOND, "chips.changed", taken=taken, given=given, dealer=one.dealer)

    def _change_shift(self, one: RoundInPit) -> None:
        self._exchange_box(one.closed_at + _SECOND, placed=f"{self.plan.name}-2")
        if self.short:
            self._lose(-PLANTED_CENTS)
        begins = {"gaming_day": self.gaming_day.isoformat(), "shift": SHIFTS[1]}
        people: dict[str, Any] = {"dealer": one.dealer, "floorperson": FLOORPERSON}
        counted = contents(self._held)
        self._report(
            one.closed_at + 2 * _SECOND, "table.counted", contents=counted, purpose="shift", begins=begins, **people
        )
        self._count()
        self._shift = SHIFTS[1]
        if self._held > HIGH_CENTS:
            self._credit(one.closed_at + 3 * _SECOND, one.dealer, self._held - PAR_CENTS)
        elif self.sends_credit:
            self._credit(one.closed_at + 3 * _SECOND, one.dealer, CREDIT_CENTS)
        if self.on_paper:
            self._fill_on_paper(one.closed_at + 3 * _SECOND, one.dealer)

    def _close(self, last: RoundInPit, rounds: int) -> None:
        at = last.closed_at + 10 * _SECOND
        if self.forgets_cards and self._new_cards_at is not None:  # open without play until then
            at = max(at, self._new_cards_at)
            self._change_cards(at)
        tips = rounds * TIPS_CENTS
        self._report(at, "tips.collected", cents=tips, collected_by=TIP_COLLECTOR, observed_by=FLOORPERSON)
        self.money.tips = tips
        self._exchange_box(at, placed=None)
        people: dict[str, Any] = {"dealer": last.dealer, "floorperson": FLOORPERSON}
        self._report(at + _MINUTE, "table.closed", contents=contents(self._held), **people)
        self._count()
        self.money.closer = self._held

    def _deal(self, dealer: str) -> None:
        self._dealers.add(dealer)
        if self.overpaying is not None and dealer == self.overpaying.dealer:
            self._lose(self.overpaying.cents)

    def _lose(self, cents: int) -> None:
        """Remove chips from the table without a record."""
        self._held -= cents
        self._variance -= cents

    def _count(self) -> None:
        self.counts.append(Counted(frozenset(self._dealers), self._variance))
        self.money.variance += self._variance
        self._dealers, self._variance = set(), 0

    def _exchange_box(self, at: datetime, *, placed: str | None) -> None:
        removed = f"{self.plan.name}-{len(self.boxes) + 1}"
        boxes: dict[str, Any] = {"removed_box": removed} | ({} if placed is None else {"placed_box": placed})
        self._report(at, "box.exchanged", **boxes, removed_by=SECURITY, witnessed_by=FLOORPERSON)
        people: dict[str, Any] = {"carried_by": SECURITY, "received_by": "demo.counter"}
        self._report(at + 2 * _MINUTE, "box.transported", box=removed, **people)
        self.boxes.append((self._shift, self._box))
        self._box = Dropped()

    def _report(self, at: datetime, kind: str, *, slip: Slip | None = None, **data: Any) -> None:
        self.events.append(PitEvent(at, kind, self._shift, data, slip))
