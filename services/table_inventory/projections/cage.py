"""The read model of the cage: its book, transfers and counts, credit lines, and counter checks."""

from typing import Any, Final

from services.table_inventory import tables as t
from services.table_inventory.projections.rows import Kept, Rows, insert, merge, update
from shared.contracts import cage, cage_locations, check_collection, chips_in_service, credit_lines
from shared.contracts.facts import Fact
from shared.journal.entry import Entry

TABLES: Final = (
    *(t.cage_book, t.cage_movements, t.cage_transfers, t.cage_counts, t.chips_in_service, t.winners),
    *(t.credit_lines, t.credit_line_requests, t.counter_checks, t.check_steps, t.patron_checks, t.check_write_offs),
)

KEPT: Final[Kept] = {
    cage.CageMoved: (insert, t.cage_movements, {}),
    cage.CageVoided: (insert, t.cage_movements, {}),
    cage_locations.CageCountVerified: (update, t.cage_counts, {"status": "verified"}),
    cage_locations.CageCountRejected: (update, t.cage_counts, {"status": "rejected"}),
    chips_in_service.ChipsInServiceEntered: (insert, t.chips_in_service, {"status": "entered"}),
    chips_in_service.ChipsInServiceApproved: (update, t.chips_in_service, {"status": "approved"}),
    chips_in_service.ChipsInServiceRejected: (update, t.chips_in_service, {"status": "rejected"}),
    check_collection.CheckWriteOffEntered: (insert, t.check_write_offs, {"status": "entered", "recovered_cents": 0}),
    check_collection.CheckWriteOffRejected: (update, t.check_write_offs, {"status": "rejected"}),
    credit_lines.CreditLineRequested: (insert, t.credit_line_requests, {}),
    credit_lines.CreditLineVerified: (update, t.credit_line_requests, {}),
    credit_lines.CreditLineDeclined: (update, t.credit_line_requests, {}),
    credit_lines.CheckPrepared: (insert, t.patron_checks, {}),
    credit_lines.PreparationVoided: (update, t.patron_checks, {}),
}


def apply(rows: Rows, entry: Entry, fact: Fact) -> None:
    """Apply an entry to the rows of counter checks, credit lines, winners, and the cage's transfers and counts."""
    match fact:
        case cage.CheckRedeemed():
            rows.keep(insert, t.check_steps, fact, what="redeemed", cents=-fact.cents)
        case cage.RedemptionVoided():
            rows.keep(insert, t.check_steps, fact, what="voided", undoes=fact.voids)
        case cage.CheckReturned():
            rows.keep(insert, t.check_steps, fact, what="returned", undoes=fact.returns)
        case check_collection.CheckCleared():
            rows.keep(insert, t.check_steps, fact, what="cleared", cents=0, undoes=fact.clears)
        case check_collection.CollectionBegun():
            rows.keep(insert, t.check_steps, fact, what="collection_begun", cents=0)
        case check_collection.CheckWrittenOff():
            rows.keep(insert, t.check_steps, fact, what="written_off", cents=-fact.cents)
            key = {"property": fact.property, "check_write_off": fact.check_write_off}
            approved = {"status": "approved", "approved_by": fact.by, "approved_at": fact.at}
            rows.keep(update, t.check_write_offs, key.items(), **approved)
        case check_collection.CheckRecovered():
            _recovery(rows, fact, what="recovered", recovery_cents=fact.cents)
        case check_collection.RecoveryVoided():
            _recovery(rows, fact, what="recovery_voided", recovery_cents=-fact.cents, undoes=fact.voids)
        case check_collection.RecoveryReturned():
            _recovery(rows, fact, what="recovery_returned", recovery_cents=-fact.cents, undoes=fact.returns)
        case cage.CheckReplaced():
            rows.keep(insert, t.check_steps, fact, what="replaced")
            rows.keep(insert, t.counter_checks, fact, table="", number=fact.step, cents=0)
            for one in fact.replaced:
                place = {name: getattr(fact, name) for name in cage.AtCage.model_fields}
                rows.keep(insert, t.check_steps, one, **place, what="replaced", cents=-one.cents)
        case cage_locations.CageTransferIssued():
            rows.keep(insert, t.cage_transfers, fact, status="issued", issued_seq=entry.seq)
        case cage_locations.CageTransferReceived():
            rows.keep(update, t.cage_transfers, fact, status="received", ended_seq=entry.seq)
        case cage_locations.CageTransferReturned():
            rows.keep(update, t.cage_transfers, fact, status="returned", ended_seq=entry.seq)
        case cage_locations.CageCountEntered():
            rows.keep(insert, t.cage_counts, fact, status="entered", seq=entry.seq)
        case credit_lines.CreditLineApproved() | credit_lines.CreditLineCut():
            _credit_line(rows, fact)
        case cage.WinnerIdentified():
            changes = {f"{taxed}_change_cents": cents for taxed, cents in fact.withheld_changes().items()}
            rows.keep(insert, t.winners, fact, shard=entry.shard, seq=entry.seq, **changes)


_OfRecovery = check_collection.CheckRecovered | check_collection.RecoveryUndone


def _recovery(rows: Rows, fact: _OfRecovery, **step: Any) -> None:
    """Record a step of the recovery of a write-off. The amount owed on the check stays the same."""
    rows.keep(insert, t.check_steps, fact, cents=0, **step)
    key = {"property": fact.property, "check_write_off": fact.check_write_off}
    rows.keep(update, t.check_write_offs, key.items(), recovered_cents=fact.recovered_cents)


def _credit_line(rows: Rows, fact: credit_lines.CreditLineApproved | credit_lines.CreditLineCut) -> None:
    """Record an approval, and the terms of the patron's credit line if the fact changes them."""
    if isinstance(fact, credit_lines.CreditLineApproved):
        rows.keep(update, t.credit_line_requests, fact)
    if fact.terms is not None:
        at = fact.approved_at if isinstance(fact, credit_lines.CreditLineApproved) else fact.at
        who = {"property": fact.property, "patron": fact.patron}
        rows.keep(merge, t.credit_lines, fact.terms, **who, changed_at=at)
