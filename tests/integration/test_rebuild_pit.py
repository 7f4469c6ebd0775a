"""`pitledger rebuild` of the table inventory and of the meters: after a varied day, from the journal alone."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support import Databases
from tests.support.pit import DAY, PROPERTY, Ledgerdesk, Rounds, Table, at, chips, ledgerdesk
from tests.support.rebuilding import assert_rebuilt, execute
from tests.support.services import query, settled_database
from tests.unit.cli.calling import Caller
from tests.unit.progressive_meters.office import an_office, feed, terms
from tests.unit.progressive_meters.settlements import DAY as METER_DAY
from tests.unit.progressive_meters.settlements import PROPERTY as METER_PROPERTY
from tests.unit.progressive_meters.settlements import Shard
from tests.unit.progressive_meters.settlements import rules as meter_rules

Prepare = Callable[[str], str]


@pytest.fixture
def prepare(databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Iterator[Prepare]:
    """Gives a database with the schema of a service, on which `pitledger` then works."""
    made: list[str] = []

    def prepare(service: str) -> str:
        made.append(settled_database(databases, service))
        monkeypatch.setenv("DATABASE_URL", made[-1])
        return made[-1]

    yield prepare
    for url in made:
        databases.drop(url)


@pytest.fixture
def pitledger(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Calls `pitledger`."""
    return Caller(capsys, monkeypatch)


# --- the table inventory ---


class PitDay:
    """A gaming day of three tables: whatever may happen at them and at the desks, in a random order."""

    def __init__(self, desk: Ledgerdesk, rng: random.Random) -> None:
        self.desk = desk
        self.rng = rng
        self.tables = [Table(f"BJ-0{number}") for number in (1, 2, 3)]
        self.rounds = Rounds()
        self.played: list[tuple[Table, float, str, dict[str, int]]] = []
        self.hour = 0.0

    def step(self) -> None:
        """Something happens."""
        self.hour += self.rng.uniform(0.01, 0.1)
        table, moment, cents = self.rng.choice(self.tables), at(self.hour), self.rng.randrange(500, 90000, 500)
        number = str(int(self.hour * 1000))
        match self.rng.randrange(14):
            case 0:
                self.desk.pit(table.sold(moment, cents), table.sold(moment, cents, "prepaid_access"))
            case 1:
                people = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
                self.desk.pit(table.event("counter_check.issued", moment, serial=number, cents=cents, **people))
            case 2:
                taken, given = chips(c500=10), chips(c2500=2)
                self.desk.pit(table.event("chips.changed", moment, taken=taken, given=given, dealer="dealer.dan"))
            case 3:
                coupon = {"coupon": "match_play", "cents": cents, "paid_cents": cents, "dealer": "dealer.dan"}
                self.desk.pit(table.event("coupon.dropped", moment, **coupon))
            case 4:
                people = {"collected_by": "floor.fay", "observed_by": "sec.gus"}
                self.desk.pit(table.event("tips.collected", moment, cents=cents, **people))
            case 5:
                cards = {"regulation": "pa-633a-2024", "dealing": "shoe", "decks": 6, "changed_by": "dealer.dan"}
                self.desk.pit(
                    table.event("cards.changed", moment, **cards),
                    table.event("dice.changed", moment, changed_by="dealer.dan"),
                    table.event("stub.counted", moment, cards=52, expected=52, dealer="dealer.dan"),
                )
            case 6:
                self.desk.pit(self.counted(table, "spot"))
            case 7:
                vigorish = {"round_id": "r-1", "seat": 1, "cents": cents, "by": "floor.fay", "reason": "first hand"}
                self.desk.pit(table.event("vigorish.waived", moment, **vigorish))
            case 8 | 9:
                self.fill(table, arrive=self.rng.random() < 0.7)
            case 10:
                self.credit(table, arrive=self.rng.random() < 0.7)
            case 11 if self.played:
                of_table, hour, round_id, total = self.played.pop(self.rng.randrange(len(self.played)))
                self.desk.settle(
                    self.rounds.reversed(of_table, moment, round_id, **total),
                    self.rounds.posted(of_table, at(hour), round_id, revision=2, handle=cents, payout=0),
                )
            case _:
                total = {"handle": cents, "payout": self.rng.randrange(0, 2 * cents)}
                self.played.append((table, self.hour, f"r-{number}", total))
                voided = self.rounds.voided(table, moment, f"v-{number}")
                self.desk.settle(self.rounds.posted(table, moment, f"r-{number}", **total), voided)

    def counted(self, table: Table, purpose: str, **more: Any) -> dict[str, Any]:
        """The table is counted; chips are missing, or there are some too many."""
        people = {"dealer": "dealer.dan", "floorperson": "floor.fay", "contents": chips(c500=self.rng.randrange(900))}
        return table.event("table.counted", at(self.hour), purpose=purpose, **people, **more)

    def fill(self, table: Table, *, arrive: bool) -> None:
        """A fill, of which something else arrives; or one that is void."""
        number = self.desk.slip("fill", table.name, chips(c500=10))
        if not arrive:
            self.desk.done(f"/slips/{PROPERTY}/fill/{number}/void", {"reason": "not needed"}, person="cage.bob")
            return
        people = {"received_by": "dealer.dan", "observed_by": "floor.fay", "contents": chips(c500=9)}
        self.desk.pit(
            table.event("fill.carried", at(self.hour), number=number, carried_by="sec.gus"),
            table.event("fill.received", at(self.hour), number=number, **people),
        )

    def credit(self, table: Table, *, arrive: bool) -> None:
        """A credit that reaches the cage; or one that is void on its way."""
        number = self.desk.slip("credit", table.name, chips(c500=4))
        people = {"surrendered_by": "dealer.dan", "observed_by": "floor.fay", "carried_by": "sec.gus"}
        self.desk.pit(table.event("credit.carried", at(self.hour), number=number, **people))
        path = f"/slips/{PROPERTY}/credit/{number}"
        if arrive:
            self.desk.done(f"{path}/receive", {"contents": chips(c500=4)}, person="cage.ann")
        else:
            self.desk.done(f"{path}/void", {"reason": "wrong table"}, person="cage.bob")

    def play(self, steps: int) -> None:
        """All of the day, to its seal and what is adjusted after it."""
        desk, day = self.desk, {"property": PROPERTY, "gaming_day": DAY}
        reader = {"passed": True, "inspected_by": "floor.fay"}
        for table in self.tables:
            desk.pit(
                table.opened(at(0), chips(c500=1000, c2500=600), card_reader=True, dice=True),
                table.event("card_reader.inspected", at(0), **reader),
            )
        for _ in range(steps):
            self.step()
        for table in self.tables:
            desk.pit(self.counted(table, "shift", begins={"gaming_day": DAY, "shift": "swing"}))
            table.shift = "swing"
        self.fill(self.tables[0], arrive=False)
        self.fill(self.tables[1], arrive=True)
        self.credit(self.tables[2], arrive=False)
        for tables in (self.tables[:2], self.tables[2:]):
            boxes = []
            for table in tables:
                desk.pit(*table.box_off(at(self.hour)))
                figures: dict[str, Any] = {"currency": [{"cents": 10000, "count": self.rng.randrange(1, 90)}]}
                figures |= {"counter_checks": [{"serial": "CC-1", "cents": 100}], "coupons": []}
                boxes.append((table.name, table.sequence - 1, figures))
                desk.pit(table.closed(at(self.hour), chips(c500=self.rng.randrange(900))))
            desk.count_boxes(*boxes)
        paper = {"slip": "fill", "table": "BJ-01", "shift": "day", "contents": chips(c500=10), "reason": "outage"} | day
        people = {"requested_by": "pit.ray", "prepared_by": "cage.ann", "carried_by": "sec.gus"}
        people |= {"received_by": "dealer.dan", "observed_by": "floor.fay", "occurred_at": at(2).isoformat()}
        desk.done("/manual-slips", paper | people | {"number": 5001}, person="cage.bob")
        void = {"slip": "fill", "number": 5003, "reason": "spoilt"} | day
        desk.done("/manual-slips/void", void, person="cage.bob")
        assert 409 == desk.send("/manual-slips/void", void, person="cage.bob").status_code
        assert 409 == desk.send(f"/slips/{PROPERTY}/fill/1/void", {"reason": "late"}, person="cage.bob").status_code
        for variance in desk.variances():
            path = f"/variances/{PROPERTY}/{DAY}/{variance['variance']}/{variance['table']}/{variance['number']}"
            desk.done(f"{path}/own", {"owner": "audit.kim"}, person="audit.lou")
            desk.done(f"{path}/own", {"owner": "audit.lou"}, person="audit.kim")
            desk.done(f"{path}/resolve", {"conclusion": "overpaid"}, person="audit.lou")
        self.close()

    def close(self) -> None:
        """The day is sealed and adjusted; the day after it is begun to be closed."""
        desk, path = self.desk, f"/gaming-days/{PROPERTY}/{DAY}"
        desk.done(f"{path}/preliminary", {}, person="audit.kim")
        desk.done(f"{path}/audited", person="audit.lou")
        desk.done(f"{path}/final", person="control.eve")
        wanted = {"table": "BJ-01", "shift": "day", "figure": "currency", "cents": 10000, "reason": "behind the liner"}
        for number in (1, 2, 3):
            desk.done(f"{path}/adjustments", wanted, person="audit.kim")
            if number < 3:
                what, why = ("approve", None) if number == 1 else ("reject", {"reason": "it was not there"})
                desk.done(f"{path}/adjustments/{number}/{what}", why, person="control.eve")
        excused = [{"table": table.name, "reason": "did not open"} for table in self.tables]
        desk.done(f"/gaming-days/{PROPERTY}/2026-11-21/preliminary", {"excused": excused}, person="audit.kim")


def test_the_table_inventory_is_rebuilt(prepare: Prepare, pitledger: Caller, rng: random.Random) -> None:
    """Counts, movements, slips, boxes, variances, adjustments, days, equipment: from the journal alone."""
    url = prepare("table-inventory")
    with ledgerdesk(url) as desk:
        PitDay(desk, rng).play(60)
    changes = {
        "counts": "cents = cents + 1",
        "movements": "cents = cents - 1",
        "slips": "received_by = 'nobody'",
        "boxes": "currency_cents = currency_cents + 1",
        "adjustments": "reason = 'another'",
        "days": "preliminary_by = 'nobody'",
        "equipment": "data = data || '{\"decks\": 7}'",
    }
    assert_rebuilt(pitledger, "table-inventory", url, changes)


# --- progressive meters ---


def test_the_meters_are_rebuilt(prepare: Prepare, pitledger: Caller, rng: random.Random) -> None:
    """Pools with their exact meters, movements, readings, hits, changes, versions: from the journal alone."""
    url, rules = prepare("progressive-meters"), meter_rules()
    shards = (Shard(rules, 1), Shard(rules, 2))
    with an_office(url) as office:
        office.learn(rules)
        office.open_pool("major", feed("BJ-01"), feed("BJ-02"), limit_cents=500_400)
        office.open_pool("minor", feed("BJ-03"))
        posted: list[tuple[int, dict[str, Any]]] = []
        seqs = [0, 0]
        for number in range(60):
            which = rng.randrange(2)
            seqs[which] += 1
            shard, seq, table = shards[which], seqs[which], rng.choice(("BJ-01", "BJ-03") if which else ("BJ-02",))
            choice = rng.random()
            if choice < 0.15 and (mine := [one for one in posted if one[0] == which]):
                was = rng.choice(mine)
                posted.remove(was)
                office.settle(shard.reversed(seq, was[1]), partition=which)
                if rng.random() < 0.5:
                    seqs[which] += 1
                    data = was[1]["data"]
                    again = shard.posted(
                        seqs[which], before=500_000, table=data["table"], round_id=data["round_id"], revision=2
                    )
                    office.settle(again, partition=which)
            else:
                stakes = [rng.randrange(100, 2000, 25) for _ in range(rng.randrange(1, 5))]
                award = rng.randrange(100, 9000) if rng.random() < 0.2 else 0
                event = shard.posted(
                    seq, before=rng.randrange(500_000, 501_000), stakes=stakes, table=table, award=award
                )
                posted.append((which, event))
                office.settle(event, partition=which)
            if number % 10 == 0:
                office.change("major", kind="transfer", cents=rng.randrange(1, 50), to="minor")
                office.change("minor", kind="adjustment", cents=rng.randrange(-50, -1))
        turned_down = {"gaming_day": METER_DAY, "reason": "no", "kind": "reset"}
        requested = office.send(f"/pools/{METER_PROPERTY}/major/changes", turned_down, person="carl")
        assert 201 == requested.status_code, requested.text
        office.send(f"{requested.headers['location']}/reject", {"reason": "not agreed"}, person="bob")
        office.send(f"/pools/{METER_PROPERTY}/minor/changes", turned_down, person="carl")
        for pool, table in (("third", "BJ-04"), ("fourth", "BJ-05")):
            filed = office.send("/pools", terms(pool, feed(table)), person="carl")
            assert 201 == filed.status_code, filed.text
        office.send(f"{filed.headers['location']}/reject", {"reason": "no such table"}, person="bob")
        for reason in ("close", "close again"):
            body = {"property": METER_PROPERTY, "gaming_day": METER_DAY, "reason": reason}
            assert 201 == office.send("/reconciliations", body, person="kim").status_code
        assert [] == office.quarantined()
    changes = {
        "pools": "display = display + 1",
        "movements": "contribution = contribution + 1",
        "readings": "standing = NOT standing",
        "hits": "cents = cents + 1",
        "changes": "document = '{}'",
        "reconciliations": "rows_sha256 = ''",
    }
    assert_rebuilt(pitledger, "progressive-meters", url, changes)
    [(exact,)] = query(url, "SELECT display::text FROM progressive_meters.pools WHERE pool = 'major'")
    execute(url, "UPDATE progressive_meters.pools SET display = 0, hits = 7000 WHERE pool = 'major'")
    said = pitledger("rebuild", "progressive-meters", "--check").stdout
    assert f"pools property riverside, pool major: display was 0, not {exact}; hits was 7000, not " in said
