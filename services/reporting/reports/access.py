"""User access: roles over time and their last use; overrides, voids, adjustments and approvals by person."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final, NamedTuple

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Mark, Section, fill
from services.reporting.framework.figures import NOTHING, Cell, Figure, total
from services.reporting.read_model.overrides import overridden_by
from services.reporting.read_model.people import ACTS, person_of
from services.reporting.read_model.reading import Books, Listed
from services.reporting.read_model.staff import (
    DECIDED,
    DECIDING,
    SUBMITTED,
    Held,
    last_acts,
    members_at,
    registrars,
    registry_acts,
    roles_held,
    versions_of,
)
from services.reporting.reports.common.cells import entry_cell
from shared.contracts import (
    accounts,
    alarms,
    cage,
    cage_locations,
    check_collection,
    chips_in_service,
    contests,
    corrections,
    credit_lines,
    filings,
    inventory,
    investigations,
    journal_facts,
    meters,
    pit_changes,
    tax_invoices,
    tips,
)
from shared.contracts.facts import Fact
from shared.contracts.people import canonical_person
from shared.jurisdictions.dated import Dated


class _Step(NamedTuple):
    """A kind of action, and the field of its fact that names the person (of several persons, the last one acted)."""

    what: str
    by: str

    def person(self, fact: Fact) -> str:
        """Return the person who took the action."""
        by = getattr(fact, self.by)
        return by if isinstance(by, str) else by[-1]


STEPS: Final[Mapping[type[Fact], _Step]] = {
    inventory.SlipVoided: _Step("void", "voided_by"),
    inventory.ManualSlipVoided: _Step("void", "entered_by"),
    inventory.ManualSlipEntered: _Step("override", "entered_by"),
    inventory.VarianceResolved: _Step("override", "owner"),
    inventory.AdjustmentEntered: _Step("adjustment", "entered_by"),
    inventory.AdjustmentApproved: _Step("approval", "approved_by"),
    inventory.AdjustmentRejected: _Step("approval", "rejected_by"),
    chips_in_service.ChipsInServiceEntered: _Step("adjustment", "entered_by"),
    chips_in_service.ChipsInServiceApproved: _Step("approval", "approved_by"),
    chips_in_service.ChipsInServiceRejected: _Step("approval", "rejected_by"),
    contests.ContestEntered: _Step("adjustment", "entered_by"),
    contests.ContestApproved: _Step("approval", "approved_by"),
    contests.ContestRejected: _Step("approval", "rejected_by"),
    tips.TipHoursEntered: _Step("adjustment", "entered_by"),
    tips.TipHoursApproved: _Step("approval", "approved_by"),
    tips.TipHoursRejected: _Step("approval", "rejected_by"),
    tax_invoices.TaxInvoiceEntered: _Step("adjustment", "entered_by"),
    tax_invoices.TaxInvoiceApproved: _Step("approval", "approved_by"),
    tax_invoices.TaxInvoiceRejected: _Step("approval", "rejected_by"),
    cage.RedemptionVoided: _Step("void", "by"),
    cage.CheckReturned: _Step("override", "by"),
    check_collection.RecoveryVoided: _Step("void", "by"),
    check_collection.RecoveryReturned: _Step("override", "by"),
    cage.CageVoided: _Step("void", "by"),
    cage_locations.CageTransferReturned: _Step("void", "returned_by"),
    cage_locations.CageCountVerified: _Step("approval", "verified_by"),
    cage_locations.CageCountRejected: _Step("approval", "rejected_by"),
    inventory.WriteOffEntered: _Step("adjustment", "entered_by"),
    inventory.BoxWrittenOff: _Step("approval", "approved_by"),
    inventory.WriteOffRejected: _Step("approval", "rejected_by"),
    alarms.AlarmResolved: _Step("override", "owner"),
    investigations.InvestigationConcluded: _Step("override", "owner"),
    credit_lines.CreditLineRequested: _Step("adjustment", "requested_by"),
    credit_lines.CreditLineApproved: _Step("approval", "approved_by"),
    credit_lines.CreditLineDeclined: _Step("approval", "declined_by"),
    credit_lines.CreditLineReduced: _Step("override", "by"),
    credit_lines.CreditLineSuspended: _Step("override", "by"),
    credit_lines.PreparationVoided: _Step("void", "voided_by"),
    check_collection.CheckWriteOffEntered: _Step("adjustment", "entered_by"),
    check_collection.CheckWrittenOff: _Step("approval", "by"),
    check_collection.CheckWriteOffRejected: _Step("approval", "rejected_by"),
    inventory.DayPreliminary: _Step("approval", "preliminary_by"),
    inventory.DayAudited: _Step("approval", "audited_by"),
    inventory.DayFinal: _Step("approval", "final_by"),
    accounts.AccountAdjustmentEntered: _Step("adjustment", "by"),
    accounts.AccountAdjustmentApproved: _Step("approval", "by"),
    accounts.AccountAdjustmentRejected: _Step("approval", "by"),
    accounts.PromotionEntered: _Step("adjustment", "by"),
    accounts.PromotionGranted: _Step("approval", "by"),
    accounts.PromotionRejected: _Step("approval", "by"),
    accounts.PatronErased: _Step("approval", "by"),
    accounts.PatronErasureRejected: _Step("approval", "by"),
    filings.FilingReleased: _Step("approval", "by"),
    accounts.PatronExcluded: _Step("override", "by"),
    accounts.PatronAdmitted: _Step("override", "by"),
    meters.ChangeRequested: _Step("adjustment", "requested_by"),
    meters.ChangeApproved: _Step("approval", "approved_by"),
    meters.ChangeRejected: _Step("approval", "rejected_by"),
    meters.PoolApproved: _Step("approval", "approved_by"),
    meters.PoolReturned: _Step("approval", "returned_by"),
    corrections.CorrectionProposed: _Step("adjustment", "proposed_by"),
    corrections.CorrectionApproved: _Step("approval", "approved_by"),
    corrections.CorrectionRejected: _Step("approval", "rejected_by"),
    pit_changes.PitChangeProposed: _Step("adjustment", "proposed_by"),
    pit_changes.PitChangeApproved: _Step("approval", "approved_by"),
    pit_changes.PitChangeRejected: _Step("approval", "rejected_by"),
}
"""The actions beyond everyday work, keyed by the type of their fact."""

_WHAT: Final = ("override", "void", "adjustment", "approval", "refused")

PEOPLE: Final = Section(
    name="people",
    title="People",
    key=("person",),
    columns=(
        Column(name="person", title="Person"),
        Column(name="roles", title="Roles", formula="at the end of the last gaming day"),
        Column(
            name="last_use",
            title="Last use",
            unit="day",
            formula="the last gaming day with an entry that names the person",
        ),
        Column(name="last_kind", title="Kind of the last entry"),
        Column(
            name="acts", title="Entries", unit="count", added=True, formula="entries of the period that name the person"
        ),
        *(
            Column(name=f"{what}s", title=title, unit="count", added=True, formula="in the period")
            for what, title in zip(
                _WHAT, ("Overrides", "Voids", "Adjustments", "Approvals", "Refused commands"), strict=True
            )
        ),
        Column(
            name="finding",
            title="Finding",
            formula=(
                "a role that was not used for more than a year, or overrides, voids, adjustments, approvals or "
                "refused commands by a person without a role"
            ),
        ),
    ),
)

ROLES: Final = Section(
    name="roles",
    title="Roles",
    key=("person", "role", "since"),
    columns=(
        Column(name="person", title="Person"),
        Column(name="role", title="Role"),
        Column(name="since", title="From", unit="moment"),
        Column(name="until", title="Until", unit="moment"),
        Column(
            name="version",
            title="Version",
            unit="count",
            formula="version of the property document that granted the role",
        ),
        Column(name="by", title="Granted by", formula="the people who filed and approved that version"),
    ),
)

APART: Final = Section(
    name="apart",
    title="Conflicting roles (segregation of duties)",
    key=("rule", "person", "since"),
    columns=(
        Column(name="rule", title="Rule"),
        Column(name="person", title="Person"),
        Column(name="roles", title="Roles held together"),
        Column(name="since", title="From", unit="moment"),
        Column(name="until", title="Until", unit="moment"),
        Column(name="source", title="Source"),
    ),
)

DONE: Final = Section(
    name="overrides",
    title="Overrides, voids, adjustments, approvals and refused commands",
    key=("entry",),
    columns=(
        Column(name="at", title="Time", unit="moment"),
        Column(name="person", title="Person"),
        Column(name="what", title="Type of act"),
        Column(name="kind", title="Kind"),
        Column(name="table", title="Table"),
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="reason", title="Reason"),
        Column(name="entry", title="Entry"),
    ),
)


class _Done(NamedTuple):
    """A person's action, with its entry."""

    person: str
    what: str
    listed: Listed


async def _fill(books: Books) -> Content:
    versions = await versions_of(books)
    done = await _done(books)
    held = [one for one in roles_held(versions) if _overlaps(books, one)]
    dated = _kept_apart(books, books.question.last)
    sections = (
        fill(PEOPLE, await _people(books, versions, done)),
        fill(ROLES, (_role(one) for one in held)),
        fill(APART, (row for name, one in dated for row in _together(name, one, held))),
        fill(DONE, (_row(one) for one in done)),
    )
    marks = tuple(
        Mark(f"roles apart: {name}", one.source, one.note or "") for name, one in dated if one.status == "unconfirmed"
    )
    return Content(sections, marks=marks)


def _overlaps(books: Books, one: Held) -> bool:
    """Return whether a person had a role at any moment of the queried gaming days."""
    first, after = books.question.first, books.question.last + timedelta(days=1)
    begins, ends = books.place_on(first).begins_at(first), books.place_on(after).begins_at(after)
    return one.since < ends and (one.until is None or one.until > begins)


async def _done(books: Books) -> list[_Done]:
    found = []
    for listed in await books.facts(*STEPS):
        step = STEPS[type(listed.fact)]
        found.append(_Done(step.person(listed.fact), step.what, listed))
    found.extend(_Done(one.fact.by, "refused", one) for one in await books.refusals())
    for one in await registry_acts(books):
        assert one.gaming_day is not None, "the property's clock says it"
        if isinstance(one.fact, DECIDING) and books.question.first <= one.gaming_day <= books.question.last:
            what = "approval" if overridden_by(one.fact) is None else "override"
            found.extend(_Done(person, what, one) for person in registrars(one.fact))
    return sorted(found, key=lambda one: (one.listed.recorded_at, one.listed.entry.shard, one.listed.entry.seq))


async def _people(books: Books, versions: Sequence[Listed], done: Iterable[_Done]) -> list[dict[str, Any]]:
    after = books.question.last + timedelta(days=1)
    members = members_at(versions, books.place_on(after).begins_at(after))
    acts = await _acts(books)
    last = await last_acts(books)
    by_person: Counter[tuple[str, str]] = Counter((one.person, one.what) for one in done)
    rows = []
    for person in sorted({*members, *acts, *(name for name, _ in by_person)}):
        member, used = members.get(person), last.get(person)
        finding = None
        if member is not None and used is None:
            finding = "not used in more than a year"
        elif member is None and any(by_person[person, what] for what in _WHAT):
            finding = "no role at the property"
        rows.append(
            {
                "person": person,
                "roles": ", ".join(member.roles) if member is not None else None,
                "last_use": None if used is None else used.gaming_day,
                "last_kind": None if used is None else used.kind,
                "acts": acts.get(person, NOTHING),
                "finding": finding,
                **{f"{what}s": by_person[person, what] for what in _WHAT},
            }
        )
    return rows


async def _acts(books: Books) -> dict[str, Figure]:
    """Return, by person, the number of entries of the queried gaming days that name the person."""
    by_person: dict[str, list[Figure]] = {}
    for (item,), measures in (await books.amounts([ACTS], ("item",))).items():
        by_person.setdefault(person_of(item)[1], []).append(measures[ACTS])
    return {person: total(figures) for person, figures in by_person.items()}


def _role(one: Held) -> dict[str, Any]:
    return {
        "person": one.person,
        "role": Cell(one.role, one.entries),
        "since": one.since,
        "until": one.until,
        "version": one.version,
        "by": one.by,
    }


def _kept_apart(books: Books, day: date) -> list[tuple[str, Dated[tuple[str, ...]]]]:
    """Return the legal rules in force on incompatible roles, each with its name."""
    return [
        (name, provision.on(day))
        for name, provision in books.place.law.roles_apart.items()
        if provision.root[0].effective_from <= day
    ]


def _together(name: str, rule: Dated[tuple[str, ...]], held: Iterable[Held]) -> Iterable[dict[str, Any]]:
    """Yield the people who held incompatible roles at the same time, with the rule and the period."""
    by_person: dict[str, list[Held]] = {}
    for one in held:
        if one.role in rule.value:
            by_person.setdefault(canonical_person(one.person), []).append(one)
    for roles in by_person.values():
        for since in sorted({one.since for one in roles}):
            at_once = [one for one in roles if one.since <= since and (one.until is None or one.until > since)]
            if len(at_once) > 1:
                yield {
                    "rule": name,
                    "person": roles[0].person,
                    "roles": Cell(", ".join(one.role for one in at_once), at_once[-1].entries),
                    "since": since,
                    "until": min((one.until for one in at_once if one.until is not None), default=None),
                    "source": f"{rule.source}, {rule.status}",
                }


def _row(one: _Done) -> dict[str, Any]:
    listed, fact = one.listed, one.listed.fact
    overridden = overridden_by(fact)
    reasons = (getattr(fact, name, None) for name in ("void_reason", "rejection_reason", "reason", "conclusion"))
    reason = overridden.reason if overridden is not None else next((text for text in reasons if text), None)
    return {
        "at": listed.occurred_at,
        "person": one.person,
        "what": one.what,
        "kind": fact.command if isinstance(fact, journal_facts.CommandRefused) else listed.kind,
        "table": getattr(fact, "table", None),
        "gaming_day": listed.gaming_day,
        "reason": f"{reason}: {fact.detail}" if isinstance(fact, journal_facts.CommandRefused) else reason,
        "entry": entry_cell(listed.entry),
    }


ACCESS: Final = Report(
    name="access",
    title="User access and overrides",
    about=(
        "Which roles each person held and when, by the versions of the property document; when an entry of "
        "any service last named the person; who held conflicting roles that the law keeps separate; and the "
        "overrides, voids, adjustments, approvals and refused commands of each person. For access reviews, request a "
        "quarter."
    ),
    sections=(PEOPLE, ROLES, APART, DONE),
    sources=(journal_facts.CommandRefused, *STEPS, *DECIDED, *SUBMITTED),
    fill=_fill,
    periods=("day", "week", "month", "quarter", "year"),
    signatures=("Compliance", "Internal audit"),
    of_days=False,
)
