"""Validate a rules submission: against its regulation, and against its property. Pure."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Final

from shared.contracts.properties import PropertyTable
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.submissions import RulesSubmission
from shared.rules import Finding, catalogue, check_submission
from shared.rules.catalogue import known_regulations
from shared.rules.submission import examine

_ALL: Final = 100
"""The maximum house edge in percent: a wager cannot lose more than its stake."""


def of_regulation(wanted: RulesSubmission) -> list[Finding]:
    """Return the parts of a submission that its regulation does not allow; each finding has its location."""
    found = check_submission(wanted.regulation, wanted.submission)
    listed = [
        one if one.pointer == "/regulation" else replace(one, pointer=f"/submission{one.pointer}") for one in found
    ]
    return [*listed, *_stated(wanted)] if wanted.regulation in known_regulations() else listed


def _stated(wanted: RulesSubmission) -> Iterator[Finding]:
    selection, _ = examine(catalogue(wanted.regulation), wanted.submission)
    offers = {} if selection is None else selection.offers
    edges = list(enumerate(wanted.stated_house_edges or ()))
    stated = [("stated_paybacks", wager, wager) for wager in wanted.stated_paybacks]
    stated += [("stated_house_edges", f"{number}/wager", edge.wager) for number, edge in edges]
    for field, pointer, wager in stated if offers else ():
        if wager not in offers:
            offered = ", ".join(offers)
            yield Finding(f"/{field}/{pointer}", f"'{field}': {wager!r} is not offered; there are: {offered}")
    for number, edge in edges:
        if Fraction(edge.house_edge_percent) > _ALL:
            yield Finding(
                f"/stated_house_edges/{number}/house_edge_percent",
                f"'stated_house_edges': {edge.wager!r} keeps {edge.house_edge_percent}%: state at most 100",
            )
        if edge.wager in (other.wager for _, other in edges[:number]):
            yield Finding(
                f"/stated_house_edges/{number}/wager", f"'stated_house_edges': {edge.wager!r} is listed again"
            )


def counted_by_registry(wanted: RulesSubmission, counted: Collection[str]) -> Iterator[Finding]:
    """Yield a finding for each stated house edge of a wager whose house edge the registry computes itself."""
    for number, edge in enumerate(wanted.stated_house_edges or ()):
        if edge.wager in counted:
            yield Finding(
                f"/stated_house_edges/{number}/wager",
                f"'stated_house_edges': the registry counts the house edge of {edge.wager!r} itself, and reports go by "
                "that; leave yours out, or state the payback in 'stated_paybacks', where the two are compared",
            )


def contradictions(wanted: RulesSubmission, place: PropertySnapshot) -> list[Finding]:
    """Return each conflict between a submission and the property as of `effective_from`, with its location."""
    return [*_regulation(wanted, place), *_tables(wanted, place)]


def _regulation(wanted: RulesSubmission, place: PropertySnapshot) -> Iterator[Finding]:
    law = place.law
    if wanted.regulation not in law.regulations:
        yield Finding(
            "/regulation",
            f"'regulation': {wanted.regulation!r} is not among those of {law.title}, {', '.join(law.regulations)}: "
            f"select one of these, or file and approve a version of property {wanted.property} that names its pack",
        )


def _tables(wanted: RulesSubmission, place: PropertySnapshot) -> Iterator[Finding]:
    day = place.gaming_day(wanted.effective_from)
    for number, name in enumerate(wanted.tables):
        pointer = f"/tables/{number}"
        if name in wanted.tables[:number]:
            continue
        if wanted.tables.count(name) > 1:
            yield Finding(pointer, f"'tables': {name!r} is listed {wanted.tables.count(name)} times; list it once")
        missing = place.why_no_table(name, day)
        if missing is not None:
            yield Finding(pointer, missing)
            continue
        table = place.table(name, day)
        if table.game != wanted.game:
            yield Finding(
                pointer,
                f"table {name!r} of {wanted.property} offers {table.game}, not {wanted.game}: leave it out, or file "
                "and approve a version of the property where it does",
            )
        elif wanted.regulation in known_regulations():
            yield from _positions(wanted, table, pointer)


def _positions(wanted: RulesSubmission, table: PropertyTable, pointer: str) -> Iterator[Finding]:
    known, boxes = catalogue(wanted.regulation), wanted.submission.options.get("adjacent_boxes")
    if table.positions > known.seats.most and not table.fully_automated:
        yield Finding(
            pointer,
            f"table {table.table!r} of {wanted.property} has {table.positions} positions; at most {known.seats.most} "
            "are allowed: file and approve a version of the property with fewer",
            known.seats.paragraph,
        )
    if isinstance(boxes, int) and boxes > table.positions and "adjacent_boxes" in known.options:
        yield Finding(
            "/submission/options/adjacent_boxes",
            f"option 'adjacent_boxes' {boxes}: table {table.table!r} has {table.positions} positions",
            known.options["adjacent_boxes"].paragraph,
        )
