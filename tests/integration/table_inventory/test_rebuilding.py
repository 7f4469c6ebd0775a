"""The read model follows from the journal alone, in whatever order its shards are read."""

import random
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from shared.contracts.envelope import encode
from shared.contracts.pit_changes import PitChangeApproved, event_of
from shared.journal.entry import Entry
from shared.runtime.commands.record_replay import Replay
from tests.integration.table_inventory.test_check_collection import WRITE_OFFS
from tests.integration.table_inventory.test_credit_lines import CREDIT, RULES, asked, granted, prepared
from tests.support.nightly import AT_NIGHT
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Rounds, Table, at, chips
from tests.support.pit_changes import decide, path_of, propose
from tests.support.ratings import RatedTable


class PitDay:
    """A gaming day of three tables: whatever may happen at them and at the desks, in a random order."""

    def __init__(self, desk: InventoryDesk, rng: random.Random) -> None:
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
                self.desk.pit(self.check(table, number, cents))
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

    def check(self, table: Table, serial: str, cents: int) -> dict[str, Any]:
        """A Counter Check is prepared, and issued."""
        self.desk.done(f"{CREDIT}/checks", prepared(serial, cents, table=table.name), person="pit.kai")
        people = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
        return table.event("counter_check.issued", at(self.hour), serial=serial, cents=cents, **people)

    def counted(self, table: Table, purpose: str, **more: Any) -> dict[str, Any]:
        """The table is counted; chips are missing, or there are some too many."""
        people = {
            "dealer": "dealer.dan",
            "floorperson": "floor.fay",
            "contents": chips(c500=self.rng.randrange(1, 900)),
        }
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
        granted(desk, 50_000_00)
        reader = {"passed": True, "inspected_by": "floor.fay"}
        for table in self.tables:
            desk.pit(
                table.opened(at(0), chips(c500=1000, c2500=600), card_reader=True, dice=True),
                table.event("card_reader.inspected", at(0), **reader),
            )
        for _ in range(steps):
            self.step()
        desk.pit(self.check(self.tables[0], "CC-0", 50000))  # one at least is there to be redeemed
        tips = {"cents": 500, "collected_by": "floor.fay", "observed_by": "sec.gus"}
        desk.pit(self.tables[0].event("tips.collected", at(self.hour), gaming_day="2026-11-18", **tips))
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
                desk.pit(table.closed(at(self.hour), chips(c500=self.rng.randrange(1, 900))))
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
            desk.done(f"{path}/own", {"owner": "audit.kim"}, person="audit.lou")
        self.close()

    def close(self) -> None:
        """The day is sealed and adjusted; the day after it is begun to be closed."""
        desk, path = self.desk, f"/gaming-days/{PROPERTY}/{DAY}"
        contests = f"/contests/{PROPERTY}/{DAY}"
        result = {"contest": "friday-50", "fees_cents": 5000, "prizes_cents": 6000, "reason": "list 7"}
        for revision, what, why in (
            (1, "reject", {"reason": "whose list?"}),
            (2, "approve", None),
            (3, "approve", None),
        ):
            desk.done(contests, result, person="audit.kim")
            desk.done(f"{contests}/friday-50/{revision}/{what}", why, person="control.eve")
        hours = {"hours": [{"dealer": "dealer.dan", "minutes": 480}], "reason": "the clock"}
        for revision, what, why in ((1, "reject", {"reason": "whose clock?"}), (2, "approve", None)):
            desk.done(f"/tip-hours/{PROPERTY}/{DAY}", hours, person="audit.kim")
            desk.done(f"/tip-hours/{PROPERTY}/{DAY}/{revision}/{what}", why, person="control.eve")
        invoice = {"last_day": "2026-11-15", "payee": "Commonwealth of Pennsylvania", "cents": 4200}
        invoice |= {"invoice": "2026-46", "received_on": "2026-11-18", "reason": "by mail"}
        for revision, what, why in ((1, "reject", {"reason": "whose casino?"}), (2, "approve", None)):
            desk.done(f"/tax-invoices/{PROPERTY}", invoice, person="audit.kim")
            desk.done(f"/tax-invoices/{PROPERTY}/2026-46/{revision}/{what}", why, person="control.eve")
        for alarm in ("counts, dealer.dan", "raised, BJ-01"):
            for owner in ("watch.ida", "watch.max"):
                desk.done(f"/alarms/{PROPERTY}/{alarm}/own", {"owner": owner}, person="watch.ida")
        found = {"conclusion": "overpaid in training"}
        desk.done(f"/alarms/{PROPERTY}/counts, dealer.dan/resolve", found, person="watch.max")
        moved = {"property": PROPERTY, "window": "cage-1", "patron": "p-1", "kind": "chip_redemption", "cents": 100}
        desk.done("/cage-movements", moved, person="cage.ann")
        desk.done(f"/cage-movements/{PROPERTY}/1/void", {"reason": "not paid"}, person="cage.bob")
        self.hold()
        won = {
            "property": PROPERTY,
            "table": "BJ-01",
            "gaming_day": DAY,
            "round_id": "r-1",
            "seat": 1,
            "wager": "exact",
        }
        desk.done("/winners", won | {"patron": "p-1", "tax_number": "given", "withheld_cents": 5}, person="cage.ann")
        hold = {"property": PROPERTY, "what": "table", "subject": "BJ-01", "month": "2026-11", "found": "too much"}
        for number in (1, 2):
            desk.done("/investigations", hold | {"owner": "audit.kim"}, person="audit.kim")
            desk.done(f"/investigations/{PROPERTY}/{number}/assign", {"owner": "audit.lou"}, person="audit.kim")
            if number == 1:
                luck = {"conclusion": "luck"}
                desk.done(f"/investigations/{PROPERTY}/{number}/conclude", luck, person="audit.lou")
        check = {"cents": 1, "paid_in": "chips"}
        serial = desk.get(f"/counter-checks/{PROPERTY}", person="cage.ann").json()["items"][0]["serial"]
        desk.done(f"/counter-checks/{PROPERTY}/{serial}/redeem", check, person="cage.ann")
        desk.done(f"/counter-checks/{PROPERTY}/redemptions/1/void", {"reason": "not paid"}, person="cage.bob")
        desk.done(f"/counter-checks/{PROPERTY}", {"serial": "CC-NEW", "replaces": [serial]}, person="cage.bob")
        self.on_credit()
        self.collected()
        desk.done(f"{path}/preliminary", {}, person="audit.kim")
        desk.done(f"{path}/audited", person="audit.lou")
        desk.done(f"{path}/final", person="control.eve")
        wanted = {"table": "BJ-01", "shift": "day", "figure": "currency", "cents": 10000, "reason": "behind the liner"}
        for number in (1, 2, 3):
            desk.done(f"{path}/adjustments", wanted, person="audit.kim")
            if number < 3:
                what, why = ("approve", None) if number == 1 else ("reject", {"reason": "it was not there"})
                desk.done(f"{path}/adjustments/{number}/{what}", why, person="control.eve")
        self.write_off()
        self.rate()
        self.change_at_desk()
        desk.clock.now = at(48)
        people = {"recorded_by": "floor.fay", "checked_by": "cage.ann"}
        for table in self.tables[1:]:
            table.day, table.shift = "2026-11-21", "day"
            desk.pit(table.event("table.carried", at(26), contents=chips(c500=10), **people))
        desk.done(f"/gaming-days/{PROPERTY}/2026-11-21/preliminary", {}, person="audit.kim")
        self.upstream()

    def hold(self) -> None:
        """Currency comes to the cage and goes back; what lies there is counted three times."""
        desk, at_cage = self.desk, f"/cage/{PROPERTY}"
        contents = [{"kind": "currency", "cents": 100_00, "count": 7}]
        for number, (step, why) in enumerate((("return", {"reason": "a note is torn"}), ("receive", None)), 1):
            wanted = {"giver": "bank", "receiver": "cage", "contents": contents}
            desk.done(f"{at_cage}/transfers", wanted, person="cage.ann")
            desk.done(f"{at_cage}/transfers/{number}/{step}", why, person="cage.bob")
        for number, (step, why) in enumerate(
            (("reject", {"reason": "whose?"}), ("approve", None), ("approve", None)), 1
        ):
            own = [{"kind": "chips", "cents": 500, "count": number * 900}]
            entered = {"gaming_day": DAY, "contents": own, "source": "chip inventory ledger"}
            desk.done(f"/chips-in-service/{PROPERTY}", entered, person="audit.kim")
            desk.done(f"/chips-in-service/{PROPERTY}/{number}/{step}", why, person="control.eve")
        over = {"reason": "a note more"}
        for number, (step, why) in enumerate((("reject", over), ("verify", None), ("verify", over)), 1):
            counted = {"location": "cage", "contents": contents, "cashier": "cage.ann"}
            desk.done(f"{at_cage}/counts", counted, person="cage.ann")
            desk.done(f"{at_cage}/counts/{number}/{step}", why, person="cage.bob")
            contents = [{"kind": "currency", "cents": 100_00, "count": 6 + number}]

    def on_credit(self) -> None:
        """Lines are approved, declined, reduced and suspended; checks are prepared against one."""
        desk = self.desk
        for limit in (3_000_00, 2_000_00, 4_000_00):
            granted(desk, limit, "p-2")
        lower = {"limit_cents": 1_000_00, "reason": "debts"}
        desk.done(f"{CREDIT}/patrons/p-2/reduce", lower, person="credit.una")
        number = asked(desk, 9_00, "p-2")
        desk.done(f"{CREDIT}/requests/{number}/decline", {"reason": "too little"}, person="boss.cal")
        for serial in ("K-1", "K-2"):
            desk.done(f"{CREDIT}/checks", prepared(serial, 500_00, "p-2"), person="pit.kai")
        desk.done(f"{CREDIT}/checks/K-2/void", {"reason": "the patron left"}, person="pit.lea")
        stop = {"suspended_for": "patron_request", "reason": "in writing"}
        desk.done(f"{CREDIT}/patrons/p-3/suspend", stop, person="credit.una")

    def collected(self) -> None:
        """A check is in collection, deposited in part and cleared, and written off in part, of which some is paid."""
        desk, checks = self.desk, f"/counter-checks/{PROPERTY}"
        desk.done(f"{checks}/CC-NEW/collection", {"collector": "counsel"}, person="cage.ann")
        step = desk.done(f"{checks}/CC-NEW/redeem", {"cents": 1_00, "paid_in": "deposit"}, person="cage.ann")["step"]
        desk.done(f"{checks}/redemptions/{step}/clear", {}, person="cage.ann")
        body = {"serial": "CC-NEW", "write_off_kind": "settlement", "cents": 2_00, "reason": "agreed"}
        for number, decision, why in ((1, "reject", {"reason": "ask again"}), (2, "approve", None)):
            desk.done(WRITE_OFFS, body, person="credit.una")
            desk.done(f"{WRITE_OFFS}/{number}/{decision}", why, person="boss.cal")
        for paid_in, undo in (("currency", "void"), ("check", "return"), ("currency", None)):
            paid = {"cents": 1_00, "paid_in": paid_in}
            step = desk.done(f"{WRITE_OFFS}/2/recover", paid, person="cage.ann")["step"]
            if undo is not None:
                desk.done(f"{checks}/redemptions/{step}/{undo}", {"reason": "no funds"}, person="cage.bob")

    def write_off(self) -> None:
        """A table opens again, and the box that was put on never comes back; in the end it is written off."""
        desk, table = self.desk, self.tables[0]
        table.day, table.shift = "2026-11-21", "day"
        desk.pit(
            table.opened(at(24), chips(c500=1000)),
            *table.box_off(at(25), "C1", "C2"),
            table.closed(at(30), chips(c500=1000)),
        )
        place = {"gaming_day": table.day, "table": table.name, "exchange": table.sequence - 2, "which": "placed"}
        asked = f"/write-offs/{PROPERTY}"
        for number, what, why in ((1, "reject", {"reason": "look again"}), (2, "approve", None)):
            desk.done(asked, place | {"reason": "burnt"}, person="audit.kim")
            desk.done(f"{asked}/{number}/{what}", why, person="control.eve")
        desk.count_boxes((table.name, table.sequence - 2, {}), day=table.day)

    def rate(self) -> None:
        """A patron is rated by the casino management system, and another one at the desk."""
        desk, rated = self.desk, RatedTable(self.tables[0].name)
        desk.rate(rated.opened(at(self.hour), average_bet_cents=50_00), rated.event("closed", at(self.hour + 1)))
        wanted = {"property": PROPERTY, "table": rated.name, "patron": "P-8", "average_bet_cents": 10_00}
        opened = desk.done("/ratings", wanted, person="floor.fay")
        desk.done(f"/ratings/{PROPERTY}/{opened['rating']}/close", {}, person="floor.gil")
        assert 2 == desk.state_ratings()

    def change_at_desk(self) -> None:
        """Two people have the closer counted by somebody else."""
        desk, table = self.desk, self.tables[0]
        closer = {"sequence": table.sequence, "data": {"property": PROPERTY, "table": table.name}}
        found = desk.get(path_of(closer), person="floor.mia").json()
        said = {"time": found["at"], "data": found["data"] | {"dealer": "dealer.ann"}}
        assert 201 == propose(desk, closer, said).status_code
        assert 200 == decide(desk, "approve").status_code
        [approved] = desk.desk.facts("pit_change.approved")
        assert isinstance(approved, PitChangeApproved)
        desk.desk.deliver(Replay("pit.events", 0, table.source.encode(), encode(event_of(approved)), []))
        assert [] == desk.quarantined()

    def upstream(self) -> None:
        """Round settlement misses an event, and refuses two records, of which one is mended."""
        source = self.tables[0].source.removesuffix("/pit")
        refused = {"topic": "table.events", "partition": 0, "source": source, "reason": "no such card"}
        refused |= {"sha256": "0" * 64}
        mended = {"source": source, "sequence": 5, "quarantine": [1], "entries": [{"shard": 1, "seq": 900}]}
        self.desk.settle(
            self.rounds.said("gap.opened", at(31), {"source": source, "first": 3, "last": 4}),
            self.rounds.said("gap.filled", at(31), {"source": source, "sequence": 3}),
            self.rounds.said("record.mended", at(31), mended),
            self.rounds.said("record.quarantined", at(31), refused | {"offset": 7, "sequence": 6}),
        )


@AT_NIGHT
def test_the_read_model_is_rebuilt_in_whatever_order_of_the_shards(
    desk: InventoryDesk, url: str, rng: random.Random
) -> None:
    """A step at a table may be read before the slip was prepared, a count of boxes before they came off the tables."""
    day = PitDay(desk, rng)
    more = {"other_gaming_day": "flag", "tips_pool": {"period": "day"}}
    desk.has_only(*(table.name for table in day.tables), **more, **RULES)
    day.play(60)
    before, shards = desk.desk.read_model(url), [list(shard) for _, shard in groupby(desk.entries(), _shard)]
    assert 3 <= len(shards)
    assert all(before.values()), [table for table, rows in before.items() if not rows]
    for order in (shards, shards[::-1], [_shuffled(shards, rng)]):
        desk.desk.project_again(url, [entry for shard in order for entry in shard])
        assert before == desk.desk.read_model(url)


def _shard(entry: Entry) -> int:
    return entry.shard


def _shuffled(shards: Sequence[Sequence[Entry]], rng: random.Random) -> list[Entry]:
    """All entries, those of a shard in their order."""
    left = [list(reversed(shard)) for shard in shards]
    turns = [number for number, shard in enumerate(left) for _ in shard]
    rng.shuffle(turns)
    return [left[number].pop() for number in turns]
