"""One message of every type of `pit.events` and `inventory`, by type."""

from typing import Any

from tests.support.pit import DAY, PROPERTY, Table, at, chips
from tests.support.published import published

TABLE = Table("BJ-01")
NOW = at(1).isoformat()
DIGEST = "5" * 64
_TWO = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
_VIGORISH = {"round_id": "r-1", "seat": 3, "dealer_id": "dealer.dan", "cents": 500, "bank": True, "by": "dealer.dan"}

_PIT: dict[str, dict[str, Any]] = {
    "table.opened": {**_TWO, "contents": chips(c500=10), "game": "blackjack", "card_reader": True},
    "table.closed": {**_TWO, "contents": chips(c500=10)},
    "table.counted": {
        **_TWO,
        "contents": chips(c500=10),
        "purpose": "shift",
        "begins": {"gaming_day": DAY, "shift": "swing"},
    },
    "table.carried": {"contents": chips(c500=10), "recorded_by": "floor.fay", "checked_by": "cage.ann"},
    "fill.carried": {"number": 1, "carried_by": "sec.gus"},
    "fill.received": {
        "number": 1,
        "contents": chips(c500=10),
        "received_by": "dealer.dan",
        "observed_by": "floor.fay",
    },
    "credit.carried": {
        "number": 1,
        "surrendered_by": "dealer.dan",
        "observed_by": "floor.fay",
        "carried_by": "sec.gus",
    },
    "chips.sold": {"instrument": "prepaid_access", "cents": 10000, "dealer": "dealer.dan"},
    "counter_check.issued": {**_TWO, "serial": "CC-1", "cents": 100000},
    "chips.changed": {"taken": chips(c2500=1), "given": chips(c500=5), "dealer": "dealer.dan"},
    "coupon.dropped": {"coupon": "match_play", "cents": 2500, "paid_cents": 2500, "dealer": "dealer.dan"},
    "box.exchanged": {
        "removed_box": "A1",
        "placed_box": "A2",
        "removed_by": "sec.gus",
        "witnessed_by": "floor.fay",
    },
    "box.transported": {"box": "A1", "carried_by": "sec.gus", "received_by": "count.sue"},
    "tips.collected": {"cents": 7700, "collected_by": "tips.jo", "observed_by": "floor.fay"},
    "time.collected": {"seats": 9, "cents_per_seat": 600, "dealer": "dealer.dan"},
    "vigorish.collected": _VIGORISH,
    "vigorish.waived": {**_VIGORISH, "reason": "promotion"},
    "vigorish.returned": {**_VIGORISH, "reason": "taken twice"},
    "cards.changed": {"regulation": "pa-647a", "dealing": "shoe", "decks": 1, "changed_by": "dealer.dan"},
    "dice.changed": {"changed_by": "dealer.dan"},
    "card_reader.inspected": {"passed": True, "inspected_by": "floor.fay"},
    "stub.counted": {"cards": 52, "expected": 52, "dealer": "dealer.dan"},
}
PIT = {
    kind: (Table("PK-01") if kind == "time.collected" else TABLE).event(kind, at(1), **data)
    for kind, data in _PIT.items()
}
"""What happens at tables."""

_CORRECTION = {"reason": "typed wrong", "entered_by": "floor.fay", "approved_by": "audit.kim"}
_SALE = {"property": PROPERTY, "table": "BJ-01", "event": "chips.sold", "sequence": 8, "correction": _CORRECTION}
_CHANGED = {"pit_event.voided": _SALE, "pit_event.corrected": _SALE | {"at": NOW, "instead": PIT["chips.sold"]["data"]}}
CHANGES = {kind: TABLE.event(kind, at(1)) | {"data": data} for kind, data in _CHANGED.items()}
CHANGES["pit_event.change_approved"] = TABLE.event("pit_event.change_approved", at(1)) | {
    "source": f"{TABLE.source}/desk",
    "data": {"property": PROPERTY, "table": "BJ-01", "change": 1},
}
"""What takes back what was said of a table, or says something else in its place."""

_PLACE = {"property": PROPERTY, "table": "BJ-01", "gaming_day": DAY}
_SLIP = {**_PLACE, "slip": "fill", "number": 1}
_REQUEST = {
    **_PLACE,
    "slip": "fill",
    "shift": "day",
    "request": 1,
    "contents": chips(c500=10),
    "requested_by": "pit.ray",
    "requested_at": NOW,
}
_PAPER = {
    **_SLIP,
    "shift": "day",
    "contents": chips(c500=10),
    "occurred_at": NOW,
    "requested_by": "pit.ray",
    "prepared_by": "cage.ann",
    "carried_by": "sec.gus",
    "received_by": "dealer.dan",
    "observed_by": "floor.fay",
    "reason": "network outage",
}
_DAY = {"property": PROPERTY, "gaming_day": DAY}
_COUNT = {**_DAY, "count": 1}
_FIGURES = {
    "currency": [{"cents": 10000, "count": 80}],
    "counter_checks": [{"serial": "CC-1", "cents": 100000}],
    "coupons": [{"coupon": "match_play", "cents": 2500, "count": 4}],
}
_BOX = {
    "table": "BJ-01",
    "exchange": 7,
    "box": "A1",
    "gaming_day": DAY,
    "shift": "day",
    "figures": _FIGURES,
    "currency_cents": 800000,
    "counter_checks_cents": 100000,
    "coupons_cents": 10000,
    "turns": [{"turn": 1, "counted_by": "count.sue", "salt": "0" * 32, "figures": _FIGURES}],
}
_CAGE = {**_DAY, "shift": "day", "step": 1, "by": "cage.ann", "at": NOW, "serial": "CC-1", "drawer": "p-1"}
_MOVED = {**_DAY, "shift": "day", "number": 1, "by": "cage.ann", "at": NOW, "patron": "p-1", "window": "cage-1"}
_MOVED |= {"kind": "chip_redemption", "direction": "out", "cents": 250000, "medium": "currency"}
_IN_SERVICE = {
    "property": PROPERTY,
    "revision": 2,
    "gaming_day": DAY,
    "contents": [{"kind": "chips", "chip_set": "house", "cents": 500, "count": 9000}],
    "stated_cents": 45_000_00,
    "before": {"gaming_day": DAY, "contents": [{"kind": "chips", "chip_set": "house", "cents": 500, "count": 8000}]},
    "before_revision": 1,
    "before_stated_cents": 40_000_00,
    "put_in_since_cents": 5_000_00,
    "in_service_cents": 50_000_00,
    "source": "chip inventory ledger, 19 November 2026",
    "entered_by": "audit.kim",
    "entered_at": NOW,
}
_AT_CAGE = {"property": PROPERTY, "gaming_day": DAY, "shift": "day", "step": 2, "by": "cage.ann", "at": NOW}
_PAYMENT = {"table": "BJ-01", "serial": "K-1", "drawer": "p-1", "cents": 500, "paid_in": "check"}
_CHECK_WRITE_OFF = {"property": PROPERTY, "check_write_off": 1}
_TO_WRITE_OFF = {"serial": "K-1", "write_off_kind": "uncollectible", "cents": 500, "reason": "bankrupt"}
_PATRON = {"property": PROPERTY, "patron": "p-1"}
_LINE = _PATRON | {"request": 1}
_UNA = {"requested_by": "credit.una", "requested_at": NOW}
_CUT = _PATRON | {"reason": "returned elsewhere", "by": "credit.una", "at": NOW}
_PREPARED = _PATRON | {"serial": "K-1", "table": "BJ-01", "gaming_day": DAY, "shift": "day", "cents": 10_000}
_INVESTIGATION = {"property": PROPERTY, "investigation": 1, "owner": "audit.lou"}
_CONTEST = {
    **_DAY,
    "contest": "bad-beat-2026",
    "revision": 2,
    "fees_cents": 500000,
    "prizes_cents": 450000,
    "before": {"fees_cents": 500000, "prizes_cents": 400000},
    "reason": "a prize was paid later",
    "entered_by": "audit.kim",
    "entered_at": NOW,
}
_TRANSFER = {
    **_DAY,
    "transfer": 1,
    "giver": "manufacturer",
    "receiver": "vault",
    "contents": [{"kind": "chips", "chip_set": "house", "cents": 500, "count": 4000}],
    "issued_by": "cage.ann",
    "issued_at": NOW,
}
_HELD = {
    **_DAY,
    "count": 2,
    "location": "drawer-1",
    "contents": [
        {"kind": "currency", "cents": 10000, "count": 199},
        {"kind": "foreign_chips", "issuer": "harbor", "cents": 2500, "count": 4},
        {"kind": "coupons", "cents": 1000, "count": 12},
    ],
    "cashier": "cage.bob",
    "next_cashier": "cage.cy",
    "book": {"brought_forward": 2000000, "received": 500000, "issued": -500000},
    "counted_by": "cage.bob",
    "counted_at": NOW,
}
_TIP_HOURS = {
    "property": PROPERTY,
    "first_day": DAY,
    "last_day": DAY,
    "revision": 2,
    "pool": {"period": "day", "remainder": "most_hours"},
    "hours": [{"dealer": "dealer.dan", "minutes": 450}, {"dealer": "dealer.eve", "minutes": 480}],
    "reason": "the time clock, corrected",
    "entered_by": "audit.kim",
    "entered_at": NOW,
}
_TAX_INVOICE = {
    "property": PROPERTY,
    "invoice": "2026-48.1",
    "first_day": "2026-11-16",
    "last_day": "2026-11-22",
    "revision": 2,
    "payee": "Commonwealth of Pennsylvania",
    "cents": -4200,
    "received_on": "2026-11-24",
    "reason": "the credit note",
    "entered_by": "audit.kim",
    "entered_at": NOW,
}
_ALARM = {"property": PROPERTY, "alarm": "counts, dealer-7", "owner": "watch.max"}
_VARIANCE = {**_PLACE, "variance": "inventory", "number": 9, "cents": -100000, "owner": "audit.kim"}
_ADJUSTMENT = {
    **_PLACE,
    "adjustment": 1,
    "shift": "day",
    "figure": "currency",
    "cents": 10000,
    "reason": "note behind the liner",
    "day_status": "final",
    "entered_by": "audit.kim",
    "entered_at": NOW,
}

_WRITE_OFF = {
    **_PLACE,
    "write_off": 1,
    "shift": "day",
    "box": "A2",
    "exchange": 7,
    "which": "placed",
    "reason": "burnt",
    "entered_by": "audit.kim",
    "entered_at": NOW,
}


_CHANGE = {**_PLACE, "change": 1, "event": "chips.sold", "sequence": 7}
_PROPOSED = {
    **_CHANGE,
    "replaces": 1,
    "before_at": NOW,
    "before": PIT["chips.sold"]["data"],
    "at": NOW,
    "instead": PIT["chips.sold"]["data"] | {"cents": 2500, "contents": []},
    "reason": "typed wrong",
    "proposed_by": "floor.fay",
    "proposed_at": NOW,
}


def entry(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    """An entry of the ledger as it is published."""
    return published(kind, data, service="table-inventory", sequence=1, at=at(1), subject=TABLE.source)


INVENTORY: dict[str, dict[str, Any]] = {
    kind: entry(kind, data)
    for kind, data in {
        "pit.recorded": {
            **_PLACE,
            "event": "chips.sold",
            "sequence": 7,
            "shift": "day",
            "moved": {"movement": "cash", "cents": -10000, "contents": {"chip:2500": -4}},
            "data": PIT["chips.sold"]["data"],
        },
        "pit.voided": {
            **_PLACE,
            "event": "chips.sold",
            "sequence": 7,
            "shift": "day",
            "moved": {"movement": "cash", "cents": 10000, "contents": {"chip:2500": 4}},
            "data": PIT["chips.sold"]["data"],
            "revision": 1,
            "correction": _CORRECTION,
        },
        "pit.noted": {**_PLACE, "event": "chips.sold", "sequence": 7, "correction": _CORRECTION},
        "round.counted": {**_PLACE, "round_id": "r-1", "revision": 1, "rounds": 1, "cents": 350000},
        "slip.requested": _REQUEST,
        "slip.request_withdrawn": {
            **_PLACE,
            "slip": "fill",
            "request": 1,
            "withdrawal_reason": "typed twice",
            "withdrawn_by": "pit.ray",
            "withdrawn_at": NOW,
        },
        "slip.prepared": {**_REQUEST, "number": 1, "prepared_by": "cage.bob", "prepared_at": NOW},
        "slip.credit_received": {
            **_SLIP,
            "slip": "credit",
            "received_contents": chips(c500=10),
            "received_by": "cage.ann",
            "received_at": NOW,
        },
        "slip.voided": {
            **_SLIP,
            "returned": [],
            "void_reason": "wrong table",
            "voided_by": "cage.bob",
            "voided_at": NOW,
        },
        "manual_slip.entered": {**_PAPER, "late": True, "entered_by": "cage.bob", "entered_at": NOW},
        "manual_slip.voided": {
            **_DAY,
            "slip": "fill",
            "number": 5003,
            "reason": "spoilt",
            "entered_by": "cage.bob",
            "entered_at": NOW,
        },
        "count.opened": {**_COUNT, "opened_by": "count.sue", "opened_at": NOW},
        "count.sealed": {
            **_COUNT,
            "table": "BJ-01",
            "exchange": 7,
            "turn": 1,
            "commitment": DIGEST,
            "counted_by": "count.sue",
            "counted_at": NOW,
        },
        "count.concluded": {
            **_COUNT,
            "opened_by": "count.sue",
            "opened_at": NOW,
            "boxes": [_BOX],
            "concluded_by": "count.sue",
            "concluded_at": NOW,
        },
        "variance.owned": {**_VARIANCE, "named_by": "audit.lou", "owned_at": NOW},
        "variance.resolved": {**_VARIANCE, "conclusion": "overpaid at seat 3", "resolved_at": NOW},
        "alarm.owned": {**_ALARM, "named_by": "audit.lou", "owned_at": NOW},
        "alarm.resolved": {**_ALARM, "conclusion": "a dealer in training", "resolved_at": NOW},
        "adjustment.entered": _ADJUSTMENT,
        "adjustment.approved": {**_ADJUSTMENT, "approved_by": "control.eve", "approved_at": NOW},
        "adjustment.rejected": {
            **_ADJUSTMENT,
            "rejected_by": "control.eve",
            "rejected_at": NOW,
            "rejection_reason": "no slip",
        },
        "counter_check.redeemed": {**_CAGE, "cents": 50000, "left_cents": 0, "paid_in": "chips", "table": "BJ-01"},
        "counter_check.redemption_voided": {
            **_CAGE,
            "cents": 50000,
            "paid_in": "chips",
            "voids": 1,
            "redeemed_by": "cage.bob",
            "reason": "entered twice",
        },
        "counter_check.returned": {
            **_CAGE,
            "cents": 50000,
            "paid_in": "deposit",
            "returns": 1,
            "reason": "insufficient funds, notice 88-1",
        },
        "counter_check.replaced": {
            **_CAGE,
            "serial": "CC-9",
            "cents": 50000,
            "replaced": [{"table": "BJ-01", "serial": "CC-1", "cents": 50000}],
        },
        "cage.moved": _MOVED,
        "cage.voided": {**_MOVED, "number": 2, "voids": 1, "moved_by": "cage.bob", "reason": "entered twice"},
        "winner.identified": {
            **_PLACE,
            "round_id": "r-1",
            "seat": 3,
            "wager": "exact",
            "patron": "p-1",
            "tax_residence": "CA",
            "identified_by": ["passport", "driver-license"],
            "tax_number": "given",
            "form_number": "2026-17",
            "withheld_cents": 75000,
            "filed_on": "2027-01-31",
            "by": "cage.ann",
            "at": NOW,
        },
        "counter_check.cleared": _AT_CAGE | _PAYMENT | {"clears": 1},
        "counter_check.collection_begun": _AT_CAGE | {"serial": "K-1", "left_cents": 500, "collector": "counsel"},
        "check_write_off.entered": _CHECK_WRITE_OFF | _TO_WRITE_OFF | {"entered_by": "credit.una", "entered_at": NOW},
        "check_write_off.rejected": _CHECK_WRITE_OFF
        | {"rejection_reason": "ask again", "rejected_by": "boss.cal", "rejected_at": NOW},
        "counter_check.written_off": _AT_CAGE
        | {
            "check_write_off": 1,
            **_TO_WRITE_OFF,
            "entered_by": "credit.una",
            "left_cents": 0,
            "subject_sha256": DIGEST,
        },
        "counter_check.recovered": _AT_CAGE | _PAYMENT | {"check_write_off": 1, "recovered_cents": 500},
        "counter_check.recovery_voided": _AT_CAGE
        | _PAYMENT
        | {
            "check_write_off": 1,
            "recovered_cents": 0,
            "voids": 1,
            "recovered_by": "cage.bob",
            "reason": "another patron's",
            "subject_sha256": DIGEST,
        },
        "counter_check.recovery_returned": _AT_CAGE
        | _PAYMENT
        | {"check_write_off": 1, "recovered_cents": 0, "returns": 1, "reason": "no funds, notice 88-2"},
        "credit_line.requested": _LINE | {"change": "limit", "limit_cents": 100_000, "reason": "file 17", **_UNA},
        "credit_line.verified": _LINE
        | {"verification": "bank called", "verified_by": "credit.una", "verified_at": NOW},
        "credit_line.approved": _LINE
        | {"approvals": 2, "approved_by": ["boss.bea", "boss.cal"], "approved_at": NOW, "granted_at": NOW}
        | {"terms": {"limit_cents": 100_000}, "subject_sha256": DIGEST},
        "credit_line.declined": _LINE | {"decline_reason": "debts", "declined_by": "boss.cal", "declined_at": NOW},
        "credit_line.reduced": _CUT | {"terms": {"limit_cents": 50_000}, "before_cents": 100_000},
        "credit_line.suspended": _CUT | {"terms": {"limit_cents": 50_000, "suspended_for": "patron_request"}},
        "counter_check.prepared": _PREPARED
        | {"limit_cents": 100_000, "outstanding_cents": 0, "prepared_by": "pit.kai", "prepared_at": NOW},
        "counter_check.preparation_voided": _PREPARED
        | {"reason": "left", "prepared_by": "pit.kai", "voided_by": "pit.lea", "voided_at": NOW}
        | {"subject_sha256": DIGEST},
        "investigation.opened": {
            "property": PROPERTY,
            "what": "table",
            "subject": "BJ-01",
            "month": "2026-11",
            "investigation": 1,
            "found": "10 points above last year",
            "owner": "audit.kim",
            "opened_by": "audit.lou",
            "opened_at": NOW,
        },
        "investigation.assigned": {**_INVESTIGATION, "assigned_by": "audit.kim", "assigned_at": NOW},
        "investigation.concluded": {**_INVESTIGATION, "conclusion": "one player's luck", "concluded_at": NOW},
        "cage_transfer.issued": _TRANSFER,
        "cage_transfer.received": {
            **_TRANSFER,
            "received_by": "cage.bob",
            "received_at": NOW,
            "subject_sha256": DIGEST,
        },
        "cage_transfer.returned": {
            **_TRANSFER,
            "returned_by": "cage.bob",
            "returned_at": NOW,
            "return_reason": "a rack is missing",
        },
        "cage_count.entered": _HELD,
        "cage_count.verified": {
            **_HELD,
            "subject_sha256": DIGEST,
            "verified_by": "cage.ann",
            "verified_at": NOW,
            "before_cents": 2000000,
            "flows": {"received": 500000, "issued": -500000},
            "counted_cents": 2000000,
            "over_short_cents": 0,
            "imprest_cents": 2000000,
        },
        "cage_count.rejected": {
            **_HELD,
            "rejected_by": "cage.ann",
            "rejected_at": NOW,
            "rejection_reason": "two straps were not opened",
        },
        "chips_in_service.entered": _IN_SERVICE,
        "chips_in_service.approved": {
            **_IN_SERVICE,
            "approved_by": "control.eve",
            "approved_at": NOW,
            "subject_sha256": DIGEST,
        },
        "chips_in_service.rejected": {
            **_IN_SERVICE,
            "rejected_by": "control.eve",
            "rejected_at": NOW,
            "rejection_reason": "the ledger is of another year",
        },
        "contest.entered": _CONTEST,
        "contest.approved": {**_CONTEST, "approved_by": "control.eve", "approved_at": NOW},
        "contest.rejected": {
            **_CONTEST,
            "rejected_by": "control.eve",
            "rejected_at": NOW,
            "rejection_reason": "no list of entrants",
        },
        "tip_hours.entered": _TIP_HOURS,
        "tip_hours.approved": {**_TIP_HOURS, "approved_by": "control.eve", "approved_at": NOW},
        "tip_hours.rejected": {
            **_TIP_HOURS,
            "rejected_by": "control.eve",
            "rejected_at": NOW,
            "rejection_reason": "a day is missing",
        },
        "tax_invoice.entered": _TAX_INVOICE,
        "tax_invoice.approved": {**_TAX_INVOICE, "approved_by": "control.eve", "approved_at": NOW},
        "tax_invoice.rejected": {
            **_TAX_INVOICE,
            "rejected_by": "control.eve",
            "rejected_at": NOW,
            "rejection_reason": "of another casino",
        },
        "day.preliminary": {
            **_DAY,
            "preliminary_by": "audit.kim",
            "preliminary_at": NOW,
            "excused": [{"table": "BJ-09", "reason": "retired"}],
        },
        "pit_change.proposed": _PROPOSED,
        "pit_change.approved": {
            **_PROPOSED,
            "subject_sha256": DIGEST,
            "approved_by": "audit.kim",
            "approved_at": NOW,
            "behind": 7,
            "place": 1,
        },
        "pit_change.rejected": {
            **_CHANGE,
            "rejected_by": "audit.kim",
            "rejected_at": NOW,
            "rejection_reason": "it was right",
        },
        "box.write_off_entered": _WRITE_OFF,
        "box.written_off": {**_WRITE_OFF, "subject_sha256": DIGEST, "approved_by": "control.eve", "approved_at": NOW},
        "box.write_off_rejected": {
            **_WRITE_OFF,
            "rejected_by": "control.eve",
            "rejected_at": NOW,
            "rejection_reason": "it is in the cage",
        },
        "result.noted": {**_PLACE, "results": 1},
        "upstream.noted": {
            "property": PROPERTY,
            "source": "/properties/riverbend/tables/BJ-01",
            "quarantined": {"shard": 1, "seq": 7},
            "reason": "a card is there twice",
        },
        "win.stated": {
            **_PLACE,
            "shift": "day",
            "revision": 2,
            "figures": {"opener_cents": 100000, "fills_cents": 5000, "openings": 1},
            "changes": {"fills_cents": 5000},
            "missing": [{"what": "closer", "since": NOW}],
            "found": [{"what": "count", "name": "A1", "since": NOW}],
            "counts": [1],
            "boxes": [7],
        },
        "day.audited": {**_DAY, "audited_by": "audit.lou", "audited_at": NOW},
        "day.final": {
            **_DAY,
            "final_by": "control.eve",
            "final_at": NOW,
            "hash": DIGEST,
            "report": {"total": {}},
        },
    }.items()
}
