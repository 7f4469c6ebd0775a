"""The read model of gaming days: drop counts, stated wins, open items, and the steps that close a day."""

from collections.abc import Iterator
from datetime import date
from typing import Any, Final

from services.table_inventory import tables as t
from services.table_inventory.projections.rows import Kept, Rows, insert, merge, refuse, update
from shared.contracts import alarms, contests, counts, inventory, investigations, pit, tax_invoices, tips, win
from shared.contracts.facts import Fact
from shared.contracts.reports import ReportStatus
from shared.journal.entry import Entry

TABLES: Final = (
    *(t.drop_counts, t.counted_boxes, t.commitments, t.write_offs),
    *(t.days, t.touched, t.wins_stated, t.adjustments, t.variance_cases, t.alarm_cases, t.investigations, t.contests),
    *(t.tip_hours, t.tax_invoices, t.upstream_gaps, t.upstream_quarantine),
)

KEPT: Final[Kept] = {
    counts.CountOpened: (insert, t.drop_counts, {}),
    counts.CountConcluded: (update, t.drop_counts, {}),
    inventory.VarianceOwned: (merge, t.variance_cases, {}),
    alarms.AlarmOwned: (merge, t.alarm_cases, {}),
    alarms.AlarmResolved: (update, t.alarm_cases, {}),
    inventory.AdjustmentEntered: (insert, t.adjustments, {"status": "entered"}),
    inventory.AdjustmentApproved: (update, t.adjustments, {"status": "approved"}),
    inventory.AdjustmentRejected: (update, t.adjustments, {"status": "rejected"}),
    investigations.InvestigationOpened: (insert, t.investigations, {}),
    investigations.InvestigationAssigned: (update, t.investigations, {}),
    investigations.InvestigationConcluded: (update, t.investigations, {}),
    contests.ContestEntered: (insert, t.contests, {"status": "entered"}),
    contests.ContestApproved: (update, t.contests, {"status": "approved"}),
    contests.ContestRejected: (update, t.contests, {"status": "rejected"}),
    tips.TipHoursEntered: (insert, t.tip_hours, {"status": "entered"}),
    tips.TipHoursApproved: (update, t.tip_hours, {"status": "approved"}),
    tips.TipHoursRejected: (update, t.tip_hours, {"status": "rejected"}),
    tax_invoices.TaxInvoiceEntered: (insert, t.tax_invoices, {"status": "entered"}),
    tax_invoices.TaxInvoiceApproved: (update, t.tax_invoices, {"status": "approved"}),
    tax_invoices.TaxInvoiceRejected: (update, t.tax_invoices, {"status": "rejected"}),
    inventory.WriteOffEntered: (insert, t.write_offs, {"status": "entered"}),
    inventory.BoxWrittenOff: (update, t.write_offs, {"status": "approved"}),
    inventory.WriteOffRejected: (update, t.write_offs, {"status": "rejected"}),
    inventory.DayPreliminary: (insert, t.days, {"status": ReportStatus.PRELIMINARY}),
    inventory.DayAudited: (update, t.days, {}),
    inventory.DayFinal: (update, t.days, {"status": ReportStatus.FINAL}),
}


def apply(rows: Rows, entry: Entry, fact: Fact) -> None:
    """Add the counts, statements, conclusions and upstream reports of a fact to the rows."""
    match fact:
        case inventory.UpstreamNoted():
            _upstream(rows, fact)
        case win.WinStated():
            rows.keep(merge, t.wins_stated, fact, **_stated(entry, fact))
        case counts.CountSealed():
            rows.keep(insert, t.commitments, fact, shard=entry.shard, seq=entry.seq)
        case counts.CountConcluded():
            for box in fact.boxes:
                rows.keep(insert, t.counted_boxes, box, property=fact.property, count=fact.count)
        case inventory.VarianceResolved():
            said = ((name, value) for name, value in fact if name != "owner")  # the owner may have changed since
            of_box = {"resolved_by_instrument": fact.by_instrument}
            rows.keep(update, t.variance_cases, said, resolved_cents=fact.cents, **of_box)


def _stated(entry: Entry, fact: win.WinStated) -> dict[str, Any]:
    said = fact.model_dump(mode="json", include={"figures", "missing", "counts", "boxes", "times"})
    return {**said, "stated_at": entry.recorded_at}


def _upstream(rows: Rows, fact: inventory.UpstreamNoted) -> None:
    """Add a report of round settlement about missing or quarantined input."""
    for first, last, is_open in ((fact.first, fact.last, True), (fact.filled, fact.filled, False)):
        if first is not None:
            gap = {"source": fact.source, "first": first, "is_open": is_open, "last": last, "property": fact.property}
            rows.keep(merge, t.upstream_gaps, gap.items())
    if (refused := fact.quarantined) is not None:
        said = {"shard": refused.shard, "seq": refused.seq, "property": fact.property, "source": fact.source}
        said["sequence"] = fact.sequence
        rows.keep(refuse, t.upstream_quarantine, said.items(), reason=fact.reason, is_closed=False, is_mended=False)
    for closed in fact.closed:
        rows.keep(merge, t.upstream_quarantine, closed, is_closed=True, is_mended=fact.mended)
    for shard, seq in (place for one in fact.closed_ranges for place in one.places()):
        there = {"shard": shard, "seq": seq}
        rows.keep(merge, t.upstream_quarantine, there.items(), is_closed=True, is_mended=False)


def touched(fact: Fact) -> Iterator[tuple[str, str, date]]:
    """Yield (property, table, gaming day) for each table day whose win a fact may change."""
    match fact:
        case inventory.PitRecorded() | inventory.PitVoided() if isinstance(fact.data, _OF_WIN):
            begins = getattr(fact.data, "begins", None)
            more = (fact.claimed_day, fact.slip_day, getattr(begins, "gaming_day", None))
            for day in {fact.gaming_day, *(one for one in more if one is not None)}:
                yield fact.property, fact.table, day
        case counts.CountConcluded():
            for box in fact.boxes:
                yield fact.property, box.table, box.gaming_day
        case inventory.SlipVoided():
            yield fact.property, fact.table, fact.gaming_day
            yield fact.property, fact.table, fact.voided_at.date()  # roughly the day on which the chips went back
        case inventory.OfTableDay() if isinstance(fact, _TOUCHING):
            yield fact.property, fact.table, fact.gaming_day


_OF_WIN: Final = (
    *(pit.CountedTable, pit.CarriedTable, pit.ReceivedFill, pit.CarriedFill, pit.CarriedCredit, pit.GivenChips),
    *(pit.DroppedCoupon, pit.WaivedVigorish, pit.ExchangedBox, pit.TransportedBox),
)
_TOUCHING: Final = (
    *(inventory.SlipPrepared, inventory.SlipStep, inventory.ManualSlipEntered),
    *(inventory.AdjustmentApproved, inventory.BoxWrittenOff),
)
