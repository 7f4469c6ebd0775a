"""Validate a property when it is filed: find all faults at once, each with its source. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from services.paytable_registry.domain.device_checks import key_problems
from shared.contracts.cage_locations import CAGE, OUTSIDE
from shared.contracts.people import canonical_person
from shared.contracts.properties import PaybackFloor, PropertyDocument
from shared.contracts.taxpayer_numbers import is_made_up
from shared.jurisdictions import Dated, GamingPack, Pack, known_packs, pack


def problems(wanted: PropertyDocument) -> list[str]:
    """Return all faults of a property, as text; empty if it may be approved."""
    packs = [pack(name) for name in wanted.packs if name in known_packs()]
    gaming = [each for each in packs if isinstance(each, GamingPack)]
    return [
        *_packs(wanted, gaming),
        *_clock(wanted),
        *_shifts(wanted),
        *_tables(wanted),
        *_games(wanted),
        *_rated_games(wanted),
        *_chips(wanted),
        *_cage(wanted),
        *key_problems(wanted),
        *(problem for law in gaming[:1] for problem in _limits(wanted, law)),
        *_twice("revenue_of_years", "year", (f"{one.fiscal_year} of {one.measure}" for one in wanted.revenue_of_years)),
        *_twice("payback_floors", "floor", (_of_floor(floor) for floor in wanted.payback_floors)),
        *_filer(wanted),
        *_people(wanted, packs),
        *_credit_lines(wanted),
    ]


def _packs(wanted: PropertyDocument, gaming: list[GamingPack]) -> Iterator[str]:
    for name in wanted.packs:
        if name not in known_packs():
            yield f"'packs': {name!r} is not known; known are {', '.join(known_packs())}"
    yield from _twice("packs", "pack", wanted.packs)
    if len(gaming) != 1:
        yield f"'packs': {len(gaming)} of them license table games; name the one of the property's jurisdiction"


def _clock(wanted: PropertyDocument) -> Iterator[str]:
    try:
        ZoneInfo(wanted.time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        yield f"'time_zone': {wanted.time_zone!r} is not in the IANA database; name one such as America/New_York"


def _shifts(wanted: PropertyDocument) -> Iterator[str]:
    yield from _twice("shifts", "shift", (shift.shift for shift in wanted.shifts))
    yield from _twice("shifts", "beginning", (f"{shift.begins:%H:%M}" for shift in wanted.shifts))


def _tables(wanted: PropertyDocument) -> Iterator[str]:
    yield from _twice("pits", "pit", wanted.pits)
    yield from _twice("tables", "table", (table.table for table in wanted.tables))
    assets = [table.asset_number for table in wanted.tables]
    assets += [device.asset_number for table in wanted.tables for device in table.devices]
    yield from _twice("tables", "asset number", assets)
    for table in wanted.tables:
        if table.pit not in wanted.pits:
            yield f"table {table.table}: pit {table.pit!r} is not among the pits"
        if table.retired_on is not None and table.retired_on <= table.opened_on:
            yield f"table {table.table}: retired on {table.retired_on}, not after it was opened on {table.opened_on}"
        yield from _twice(f"table {table.table}", "progressive link", table.progressive_links)


def _games(wanted: PropertyDocument) -> Iterator[str]:
    yield from _twice("games", "game", (one.game for one in wanted.games))
    counted = {table.game for table in wanted.tables if table.play == "counted"}
    for one in wanted.games:
        if one.game not in counted:
            yield f"game {one.game}: no table that is counted offers it; of other games the rules say what is expected"
        in_order = sorted(one.expected_holds, key=lambda hold: hold.first_day)
        for hold in in_order:
            if hold.last_day is not None and hold.last_day < hold.first_day:
                yield f"game {one.game}: its expected hold from {hold.first_day} ends before, on {hold.last_day}"
        for hold, following in pairwise(in_order):
            if hold.is_of(following.first_day):
                yield f"game {one.game}: two holds are expected from {following.first_day} on: end the first one before"


def _rated_games(wanted: PropertyDocument) -> Iterator[str]:
    yield from _twice("rated_games", "game", (one.game for one in wanted.rated_games))
    offered = {table.game for table in wanted.tables}
    for one in wanted.rated_games:
        if one.game not in offered:
            yield f"rated game {one.game}: no table offers it; there are {', '.join(sorted(offered)) or 'none'}"
        in_order = sorted(one.terms, key=lambda terms: terms.first_day)
        for terms in in_order:
            if terms.last_day is not None and terms.last_day < terms.first_day:
                yield f"rated game {one.game}: its terms from {terms.first_day} end before, on {terms.last_day}"
        for terms, following in pairwise(in_order):
            if terms.is_of(following.first_day):
                first = following.first_day
                yield f"rated game {one.game}: it has two terms from {first} on: end the first ones before"


def _chips(wanted: PropertyDocument) -> Iterator[str]:
    sets = wanted.chip_sets or ()
    yield from _twice("chip_sets", "chip set", (one.chip_set for one in sets))
    for one in sets:
        yield from _twice(f"chip set {one.chip_set}", "denomination", map(str, one.denominations_cents))
        if one.retired_on is not None and one.retired_on <= one.in_use_from:
            yield f"chip set {one.chip_set}: retired on {one.retired_on}, not after {one.in_use_from}, its first day"


def _cage(wanted: PropertyDocument) -> Iterator[str]:
    yield from _twice("cage_locations", "location", (one.location.casefold() for one in wanted.cage_locations))
    for one in wanted.cage_locations:
        if one.location.casefold() in (CAGE, *OUTSIDE):
            taken = ", ".join((CAGE, *OUTSIDE))
            yield f"cage location {one.location}: the name means something else in transfers, as do {taken}"
        if one.retired_on is not None and one.retired_on <= one.opened_on:
            yield (
                f"cage location {one.location}: retired on {one.retired_on}, not after it was opened on {one.opened_on}"
            )


def _limits(wanted: PropertyDocument, law: GamingPack) -> Iterator[str]:
    day = wanted.effective_from.date()
    for name, own in dict(wanted.limits).items():
        allowed = _on(law, name, day)
        if own is not None and allowed is not None and own > allowed.value:
            yield (
                f"'limits': {name} {own} is above {allowed.value}, which {law.title} allows ({allowed.source}, "
                f"{allowed.status})"
            )
    late = _on(law, "late_events", day)
    if wanted.late_events == "flag" and late is not None and late.value == "refuse":
        yield f"'late_events': {law.title} refuses them ({late.source}, {late.status}); say 'refuse'"
    report, authority = wanted.limits.variance_report_cents, wanted.limits.variance_authority_cents
    if report is not None and authority is not None and authority < report:
        yield f"'limits': variance_authority_cents {authority} is below variance_report_cents {report}"


def _credit_lines(wanted: PropertyDocument) -> Iterator[str]:
    if wanted.credit_lines is None:
        return
    for tier, following in pairwise(wanted.credit_lines.tiers):
        if following.limit_cents_max <= tier.limit_cents_max:
            yield f"'credit_lines': tier {following.limit_cents_max} follows {tier.limit_cents_max}: list by amount"
    for tier in wanted.credit_lines.tiers:
        holders = {canonical_person(one.person) for one in wanted.people if set(one.roles) & set(tier.roles)}
        if len(holders) < tier.approvals:
            yield (
                f"'credit_lines': tier {tier.limit_cents_max} needs {tier.approvals} approvals, and {len(holders)} of "
                f"the people have one of its roles ({', '.join(tier.roles)})"
            )
    for days, more in pairwise(wanted.credit_lines.ageing_days):
        if more <= days:
            yield f"'credit_lines': ageing_days {more} follows {days}: list them ascending"


def _filer(wanted: PropertyDocument) -> Iterator[str]:
    if wanted.filer is not None and is_made_up(wanted.filer.ein):
        yield f"'filer': {wanted.filer.ein} is no employer identification number: give the one that the IRS assigned"


def _of_floor(floor: PaybackFloor) -> str:
    parts = [f"{name} {said}" for name, said in (("game", floor.game), ("wager", floor.wager)) if said is not None]
    return f"of {' and '.join(parts) or 'all wagers'}"


def _on(law: GamingPack, name: str, day: date) -> Dated[Any] | None:
    try:
        found: Dated[Any] = getattr(law.limits, name).on(day)
    except LookupError:
        return None  # the pack sets no limit before its first value
    return found


def _people(wanted: PropertyDocument, packs: list[Pack]) -> Iterator[str]:
    yield from _twice("people", "person", (canonical_person(member.person) for member in wanted.people))
    day = wanted.effective_from.date()
    apart = [
        (name, provision.on(day))
        for each in packs
        if isinstance(each, GamingPack)
        for name, provision in each.roles_apart.items()
        if provision.root[0].effective_from <= day
    ]
    for member in wanted.people:
        yield from _twice(f"person {member.person}", "role", member.roles)
        for name, dated in apart:
            held = [role for role in dated.value if role in member.roles]
            if len(held) > 1:
                yield (
                    f"person {member.person} has {' and '.join(held)}, which {name} keeps apart ({dated.source}, "
                    f"{dated.status})"
                )


def _twice(where: str, what: str, values: Iterable[str]) -> Iterator[str]:
    for value, count in Counter(values).items():
        if count > 1:
            yield f"{where if ' ' in where else repr(where)}: {what} {value!r} is listed {count} times; list it once"
