"""A pit that plays at random: the rules of everything that people do at its tables, and how it ends."""

from datetime import timedelta
from random import Random
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.days.acts import COUNTS, TABLES, Act, What
from tests.days.changes import Changes, dollars
from tests.days.sign import Sign, put_on_sign
from tests.days.stage import DAY, SECOND, rarely
from tests.days.telling import BASE_CENTS, RESET_CENTS

DAYS_MAX: Final = 7
PRINTED: Final = 5000
"""Paper slips have their numbers from a printer."""

_FIGURES: Final = ("fills", "credits", "currency", "counter_checks")
_UNOPENED: Final = ("closed", "shift_count", "drop_count", "currency", "round", "prepaid_access")
_PLAYS: Final = ("currency", "currency", "prepaid_access", "counter_check", "coupon", "waived", "round", "round")
_OVER: Final = ("spot_count", "shift_count", "drop_count")
_OVER_CENTS: Final = 2_000_00
"""A table that does not tell of each sale tells of those above this."""

_WAITED_MINUTES: Final = (1, 10, 29, 30, 31, 120, 300)

_NAMING: Final = st.sampled_from(["counter_check", "exchanged", "taken", "received"])
_WINS: Final = st.sampled_from(["", "a part", "all", "all"])

shifts = st.sampled_from(["day", "swing", "grave"])
moves = st.tuples(st.sampled_from(_PLAYS), dollars, st.sampled_from([0, 1, 30, 600]))


def _is_open(pit: "Pit") -> bool:
    return pit.at_work is not None


def _is_closed(pit: "Pit") -> bool:
    return pit.at_work is None


class Pit(Changes):
    """Tables, and what is done at them and about them, by rules of which any may be next."""

    @precondition(_is_closed)
    @rule(shift=shifts, other=rarely, typo=rarely)
    def opens(self, shift: str, other: bool, typo: bool) -> None:
        """The table opens; perhaps within the margin of its day, and perhaps the figure is mistyped."""
        day = self.another_day() if other else self.today()
        self.count("opened", 7_00 * typo, shift=shift, day=day)
        self.at_work = (day, shift)
        if typo and self.tidy:
            self.pass_to(self.now + 10 * SECOND)
            self.count_again()

    @precondition(_is_open)
    @rule(what=st.sampled_from(["shift_count", "drop_count"]), shift=shifts, next_day=st.booleans(), typo=rarely)
    def changes_shift(self, what: What, shift: str, next_day: bool, typo: bool) -> None:
        """A count begins another shift, or the next gaming day where that may be counted."""
        day, worked = self.working()
        begun = day + DAY if next_day and day + DAY in self.days_around() else self.claimed(day)
        wrong = 3_00 * (typo and not self.tidy)
        self.count(what, wrong, day=self.claimed(day), shift=worked, begins=(begun, shift))
        self.at_work = (begun, shift)

    @precondition(lambda self: _is_open(self) and not self.never_closes)
    @rule(typo=rarely)
    def closes(self, typo: bool) -> None:
        """The table closes."""
        day, shift = self.working()
        self.count("closed", 5_00 * (typo and not self.tidy), day=self.claimed(day), shift=shift)
        self.at_work = None

    @precondition(lambda self: self.last_count is not None and (self.quiet or not self.tidy))
    @rule(wait=st.sampled_from([0, 10, 120, 2400]))
    def counts_again(self, wait: int) -> None:
        """What was counted last is counted again, perhaps after something moved."""
        self.pass_to(self.now + wait * SECOND)
        self.count_again()

    @precondition(_is_open)
    @rule(typo=st.integers(-3, 3))
    def counts_on_the_spot(self, typo: int) -> None:
        """A spot count, which begins nothing."""
        day, shift = self.working()
        self.count("spot_count", typo * 100, day=self.claimed(day), shift=shift)

    @precondition(lambda self: _is_closed(self) and not self.tidy)
    @rule(shift=shifts)
    def is_carried(self, shift: str) -> None:
        """The inventory of a closed table is recorded as carried."""
        self.count("carried", shift=shift, day=self.today())

    @precondition(_is_open)
    @rule(kinds=st.lists(moves, min_size=1, max_size=6), claims=rarely)
    def plays(self, kinds: list[tuple[What, int, int]], claims: bool) -> None:
        """Patrons buy chips and play; some events claim another gaming day than that of their moment."""
        for kind, cents, seconds in kinds:
            self.pass_to(self.now + seconds * SECOND)
            self.play(kind, cents, claims=claims)

    def play(self, kind: What, cents: int, *, claims: bool = False) -> None:
        """Move chips between the tray and the hands of patrons; of rounds, the house loses every other."""
        said: dict[str, Any] = {"day": self.another_day()} if claims else {}
        if kind == "coupon":
            said["kind"] = "match_play" if cents % 300 else "lucky_buck"
            cents = 0 if cents % 700 == 0 else cents
        if kind == "round" and cents % 200 == 0:
            cents = -cents
        made = self.act(kind, cents, **said) if self.is_told_of(kind, cents) else None
        into = cents if kind == "round" else -cents
        self.tray, self.held, self.quiet = self.tray + into, self.held - into, False
        self.paid += cents if kind in ("currency", "prepaid_access", "counter_check") else 0
        self.inside[said.get("kind", kind)] += 100 if kind == "coupon" else cents
        if kind == "round" and made is not None:
            self.rounds.append(made)

    def is_told_of(self, kind: What, cents: int) -> bool:
        """Return whether what happens is told at all: of a counted table no round is, and perhaps not every sale."""
        match kind:
            case "round":
                return self.sales() is None
            case "currency":
                return self.sales() in (None, "each") or (self.sales() == "over" and cents > _OVER_CENTS)
        return True

    @precondition(_is_open)
    @rule(cents=dollars, what=st.sampled_from(_OVER), shift=shifts, next_day=st.booleans())
    def plays_over_the_count(self, cents: int, what: What, shift: str, next_day: bool) -> None:
        """A round is in play at a count, its chips are in the tray, and it is closed a minute later.

        The count may end a shift or the gaming day: the round is of what begins, and each has a variance of it.
        """
        self.tray, self.held, self.quiet = self.tray + cents, self.held - cents, False
        if self.is_told_of("round", cents):
            self.rounds.append(self.act("round", cents, late_by=timedelta(minutes=1)))
        if what == "spot_count":
            self.counts_on_the_spot(0)
        else:
            self.changes_shift(what, shift, next_day=next_day, typo=False)
        self.quiet = False
        self.pass_to(self.now + timedelta(minutes=2))

    @precondition(lambda self: any(one in self.told for one in self.rounds))
    @rule(again=st.booleans())
    def takes_back(self, again: bool) -> None:
        """The record of a round was wrong: it is taken back, and perhaps posted otherwise; its chips lie still."""
        wrong = next(one for one in self.rounds if one in self.told)
        self.pass_to(self.now + SECOND * bool(wrong.wagered))
        self.rounds.remove(wrong)
        said: dict[str, Any] = {"late_by": wrong.at - self.now, "day": wrong.day, "shift": wrong.shift}
        rank, self.rank = self.rank, 0
        if wrong.wagered:  # of a round, settlement says everything in order
            names = ("wagered", "award", "restored", "lasted")
            said |= {"moment": self.now, "at_once": True, **{name: getattr(wrong, name) for name in names}}
        self.act("taken_back", wrong.cents, of=wrong.number, **said)
        if again:
            self.act("round", wrong.cents + 100, of=wrong.number if wrong.wagered else 0, **said)
        self.rank = rank

    @rule(cents=dollars, lasted=st.sampled_from([0, 20, 90, 600]), wins=st.lists(_WINS, min_size=1, max_size=3))
    def plays_for_the_meter(self, cents: int, lasted: int, wins: list[str]) -> None:
        """Rounds for the meter end at one table after the other, where these are open."""
        for one in wins:
            if self.at_work is not None and self.is_told_of("round", cents):
                self.play_for_the_meter(cents, timedelta(seconds=lasted), one)
            self.turns()

    def play_for_the_meter(self, cents: int, lasted: timedelta, wins: str) -> None:
        """A round ends in which patrons wagered on the meter; an award goes by what it showed as the round began."""
        self.pass_to(self.now + SECOND)
        began = max(self.played_until, self.now - lasted)
        showed = self.sign().shows(began) + put_on_sign(cents) // 1000
        award = {"": 0, "a part": showed // 10, "all": showed}[wins]
        of: dict[str, Any] = {"lasted": (self.now - began) // SECOND, "wagered": cents, "award": award}
        self.rounds.append(self.act("round", cents, restored=RESET_CENTS * (wins == "all"), **of))
        self.tray, self.held, self.quiet = self.tray + cents, self.held - cents, False
        self.inside["round"] += cents
        self.pass_to(self.now + SECOND)
        self.played_until = self.now

    @precondition(lambda self: bool(Sign(BASE_CENTS, self.told).short()))
    @rule(which=st.integers(0, 3))
    def accepts_an_award(self, which: int) -> None:
        """Two people let the house bear what an award had more than the meter showed."""
        short = list(Sign(BASE_CENTS, self.told).short().items())
        one, cents = short[which % len(short)]
        self.pass_to(self.now + SECOND)
        self.act("accepted", cents, of=one.number, day=self.today(), table=one.table)

    @precondition(lambda self: _is_open(self) and not self.tidy)
    @rule(shift=shifts, other=rarely)
    def opens_an_open_table(self, shift: str, other: bool) -> None:
        """Somebody records an opener of a table that is open."""
        day = self.another_day() if other else self.today()
        self.count("opened", shift=shift, day=day)
        self.at_work = (day, shift)

    @precondition(lambda self: _is_closed(self) and not self.tidy)
    @rule(what=st.sampled_from(_UNOPENED), cents=dollars)
    def goes_on_at_a_closed_table(self, what: What, cents: int) -> None:
        """Somebody counts, sells or plays at a table that nobody has opened."""
        if what in COUNTS:
            begins = None if what == "closed" else (self.today(), "swing")
            self.count(what, day=self.today(), shift="day", begins=begins)
            self.at_work = begins
        else:
            self.play(what, cents)

    @rule(places=st.booleans(), wrong=rarely, other=rarely, shift=shifts, right=st.booleans())
    def exchanges(self, places: bool, wrong: bool, other: bool, shift: str, right: bool) -> None:
        """The box comes off, and another goes on, or none; perhaps it is not the one that was put on."""
        day, of = self.at_work or (self.today(), self.place.shift_at(self.now))
        number = self.boxes_made + 1
        self.exchange(
            f"Y{number}" if wrong and not self.tidy else None,
            f"B{number}" if places or self.tidy else None,
            day=self.another_day() if other else self.claimed(day),
            shift=of if right else shift,
        )

    @rule(all_of_them=st.booleans())
    def counts_boxes(self, all_of_them: bool) -> None:
        """Two people count what is in the boxes that are off, or in those of a gaming day."""
        waiting = [(made, inside) for made, inside in self.off.values() if made in self.told]
        day = waiting[0][0].day if waiting else None
        for made, inside in [one for one in waiting if all_of_them or one[0].day == day]:
            del self.off[made.number]
            found: dict[str, Any] = {"checks": inside["counter_check"], "coupons": inside["lucky_buck"]}
            found |= {"of": made.number, "table": made.table, "match_play": inside["match_play"]}
            self.act("found", inside["currency"], **found)

    def exchanges_told(self) -> list[Act]:
        """Return the exchanges of the table at hand that are told and not void."""
        of = ("exchanged", self.at_hand)
        return [one for one in self.told if (one.what, one.table) == of and one.number not in self.void]

    @precondition(lambda self: self.exchanges_told())
    @rule(which=st.sampled_from(["removed", "placed"]))
    def writes_off(self, which: str) -> None:
        """Two people say that a box cannot be counted; it may be found later."""
        made = self.exchanges_told()[-1]
        if which == "placed" and made.placed is not None:
            self.act("written_off", of=made.number, kind="placed")
            self.placed_gone.add(made.number)
        elif which == "removed" and made.number in self.off:
            self.act("written_off", of=made.number, kind="removed")
            self.backoff.add(made.number)

    @rule(kind=st.sampled_from(["fill", "credit"]), cents=dollars)
    def prepares(self, kind: str, cents: int) -> None:
        """The cage prepares a slip."""
        self.prepared[kind] += 1
        number = self.prepared[kind]
        self.slips[kind, number] = [self.act("prepared", cents, kind=kind, slip=number)]

    @precondition(lambda self: self.open_slips())
    @rule(voids=rarely, short=rarely, which=st.integers(0, 3))
    def steps(self, voids: bool, short: bool, which: int) -> None:
        """A slip goes on: its chips are taken, and received; or it is void."""
        slips = self.open_slips()
        self.step(slips[which % len(slips)], voids=voids, short=short)

    def step(self, key: tuple[str, int], *, voids: bool = False, short: bool = False) -> None:
        """Take the next step of a slip. What is done at a desk waits for what was done at the table."""
        done, (kind, number) = self.slips[key], key
        of: dict[str, Any] = {"kind": kind, "slip": number, "day": self.claimed(done[0].day)}
        cents, was_taken, are_told = done[0].cents, len(done) > 1, all(one in self.told for one in done)
        into = 0
        if voids and are_told:
            done.append(self.act("voided", cents if was_taken else 0, **of | {"day": done[0].day}))
            into = cents if was_taken and kind == "credit" else 0
        elif not was_taken:
            done.append(self.act("taken", cents, **of))
            into = -cents if kind == "credit" else 0
        elif kind == "fill":
            into = cents - 100 if short and cents > 100 else cents
            done.append(self.act("received", into, **of))
        elif are_told:
            done.append(self.act("received", cents, **of))
        self.tray, self.quiet = self.tray + into, self.quiet and not into

    def open_slips(self) -> list[tuple[str, int]]:
        """Return the slips of the table at hand that have not ended."""
        return [
            key
            for key, done in self.slips.items()
            if done[0].table == self.at_hand and done[-1].what in ("prepared", "taken")
        ]

    @precondition(lambda self: self.told)
    @rule(what=_NAMING, cents=dollars, which=st.integers(0, 3))
    def uses_what_is_in_use(self, what: What, cents: int, which: int) -> None:
        """Somebody names what is in use: the box or the slip of another table, or the number of a check."""
        of: dict[str, Any] = {"day": self.today(), "shift": self.place.shift_at(self.now), "table": self.at_hand}
        named = [one for one in self.told if one.what == ("prepared" if what in ("taken", "received") else what)]
        if not named:
            return
        one = named[-1 - which % len(named)]
        if what == "exchanged":
            of |= {"box": self.box or "B0", "placed": one.placed}
        elif what == "counter_check":
            of |= {"serial": one.serial or one.number}
        else:
            of |= {"kind": one.kind, "slip": one.slip}
            what = "taken" if one.kind == "credit" else what  # the cage receives a credit
        self.number += 1
        self.tell_in_vain(Act(what=what, at=self.now, number=self.number, cents=cents, **of))

    @rule(kind=st.sampled_from(["fill", "credit"]), cents=dollars, other=rarely)
    def enters_paper(self, kind: str, cents: int, other: bool) -> None:
        """A paper slip, of chips that move now."""
        self.papers += 1
        number = PRINTED + self.papers
        day = self.days_around()[0 if other else -1]
        self.slips[kind, number] = [self.act("paper", cents, kind=kind, slip=number, day=day)]
        self.tray, self.quiet = self.tray + (cents if kind == "fill" else -cents), False

    @precondition(lambda self: not self.tidy)
    @rule(figure=st.sampled_from(_FIGURES), cents=dollars)
    def adjusts(self, figure: str, cents: int) -> None:
        """An adjusting entry of the day before is approved."""
        self.act("adjusted", cents, kind=figure, day=self.today() - DAY)

    @rule(wait=st.sampled_from(_WAITED_MINUTES))
    def waits(self, wait: int) -> None:
        """Time passes."""
        self.pass_to(self.now + timedelta(minutes=wait))
        self.looks()

    @precondition(lambda self: self.now < self.place.begins_at(self.first + DAYS_MAX * DAY))
    @rule(hours=st.sampled_from([4, 8, 20, 44]))
    def goes_home(self, hours: int) -> None:
        """Time passes to the next gaming day, or to the one after it; perhaps everybody forgets the table."""
        self.pass_to(self.place.begins_at(self.today() + DAY) + timedelta(hours=hours))
        self.looks()

    @precondition(lambda self: self.now < self.place.begins_at(self.first + DAYS_MAX * DAY))
    @rule(until=st.sampled_from(["before", "end", "margin", "after"]))
    def gaming_day_ends(self, until: str) -> None:
        """Time passes to about the end of the day, or until nobody may count of it any longer."""
        ends, margin = self.place.begins_at(self.today() + DAY), self.place.pit_margin
        moments = {"before": ends - margin, "end": ends, "margin": ends + margin, "after": ends + margin + SECOND}
        self.pass_to(moments[until])
        self.looks()

    def teardown(self) -> None:
        """Everything ends, and is told: nothing is missing of a tidy pit, and its win is what patrons lost."""
        if not hasattr(self, "paid"):
            return
        if self.withheld:
            self.line_works(Random(0), twice=False)
        self.line_is_down = self.loses_one = False
        while self.wrong:
            self.mend(next(iter(self.wrong)))
        for _ in TABLES:
            while slips := self.open_slips():
                self.step(slips[0])
            if self.at_work is not None:
                self.closes(typo=False)
            self.exchange(day=self.today())
            self.turns()
        for number in sorted(self.backoff & self.off.keys()):
            if number % 2:  # nobody ever finds it: what patrons paid into it is in no drop
                _, inside = self.off.pop(number)
                self.paid -= inside["currency"] + inside["counter_check"]
        self.counts_boxes(all_of_them=True)
        self.go_on_to(self.now + DAY)
        self.looks()
        self.ends()
        self._balance()

    def ends(self) -> None:
        """Do what is done of a table when all is told."""

    def _balance(self) -> None:
        days = {self.place.gaming_day(one.at) for one in self.told}
        standing = [one for of_table in self.books.standing.values() for one in of_table.values()]
        self.played.update({"days": len(days), "revisions": self.books.revisions, "pits": 1})
        if self.tidy and any(one.missing for one in standing):
            self.require(["nobody made a mistake, and something is missing"])
        if self.tidy and not self.mistaken:
            self.played["days of which the win is what patrons lost"] += len(days)
            won = sum(one.sums.win_cents for one in standing)
            lost = self.paid - self.held
            self.require([] if won == lost else [f"won {won}, patrons lost {lost}"])
