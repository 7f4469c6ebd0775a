"""The payback check of a version: compare computed and stated paybacks, and find those to be overridden. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal

from pydantic import BaseModel, Field

from services.paytable_registry.domain.submission_checks import of_regulation
from shared.contracts.envelope import Payback
from shared.contracts.properties import PropertyDocument
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.submissions import (
    Overridden,
    PaybackFinding,
    PaybackProblem,
    RulesSubmission,
    StatedHouseEdge,
)
from shared.rules.errors import Finding, Refused
from shared.rules.paybacks import WagerPayback, paybacks
from shared.rules.record import Submission

_DIGITS: Final = 4
_ALL: Final = "100"

Counted = Literal["exactly", "sampled", "by_model"]


class ComparedPayback(BaseModel):
    """A wager's payback, in percent, as computed and as stated by the licensee.

    The `payback` of a wager with a meter is computed at the meter's reset amount, or at the requested reading.
    `payback` is None if it was not computed; `reason` explains why.
    """

    wager: str
    title: str
    paytable: str | None = None
    payback: Payback | None = None
    counted: Counted | None = None
    error: Payback | None = Field(default=None, description="the maximum error of `payback`")
    long_run: Payback | None = Field(default=None, description="the long-run payback of a wager with a meter")
    stated: Payback | None = Field(default=None, description="the payback stated by the licensee")
    floor: Payback | None = Field(default=None, description="the minimum payback that the property allows")
    findings: list[PaybackFinding] = Field(default=[], description="the findings that need an override")
    reason: str | None = None
    stated_house_edge: StatedHouseEdge | None = Field(
        default=None, description="the licensee's own house edge of a wager that is not computed, and its source"
    )


def counted(wanted: RulesSubmission, readings: Mapping[str, int] = MappingProxyType({})) -> list[WagerPayback]:
    """Return the computed payback of each wager of a version; unless cached, this takes up to a second.

    `readings` are meter readings, in cents by wager. Raises: Rejected if the regulation does not allow the submission.
    """
    try:
        return list(_counted(wanted.regulation, wanted.submission.model_dump_json(), frozenset(readings.items())))
    except Refused as refused:
        raise Rejected(Reason.NOT_ALLOWED, str(refused), cites=refused.paragraph) from None


def counted_wagers(found: Iterable[WagerPayback]) -> frozenset[str]:
    """Return the names of the wagers with a computed house edge, including one computed jointly with another wager."""
    return frozenset(wager for one in found if one.play is not None for wager in one.play.wagers)


def counted_beside_stated(wanted: RulesSubmission) -> frozenset[str]:
    """Return the names of the wagers with a computed house edge; unless cached, this takes up to a second.

    Empty if the submission states no house edge, or if its regulation does not allow it.
    """
    if not wanted.stated_house_edges or of_regulation(wanted):
        return frozenset()
    return counted_wagers(counted(wanted))


@lru_cache(maxsize=128)
def _counted(regulation: str, submission: str, readings: frozenset[tuple[str, int]]) -> tuple[WagerPayback, ...]:
    return tuple(paybacks(regulation, Submission.model_validate_json(submission), dict(readings)))


def compared(
    wanted: RulesSubmission, found: Sequence[WagerPayback], document: PropertyDocument | None
) -> list[ComparedPayback]:
    """Return each wager's computed and stated payback, the property's floor, and the findings that need an override."""
    rows = []
    edges = {edge.wager: edge for edge in wanted.stated_house_edges or ()}
    for one in found:
        wager = one.offer.name
        floor = None if document is None else document.payback_floor(wanted.game, wager)
        row = _compared(one, wanted.stated_paybacks.get(wager), floor)
        rows.append(row.model_copy(update={"stated_house_edge": edges.get(wager)}))
    return [*rows, *_not_by_itself(wanted, {row.wager for row in rows})]


def _compared(one: WagerPayback, stated: Payback | None, floor: Payback | None) -> ComparedPayback:
    named = {"wager": one.offer.name, "title": one.offer.wager.title, "paytable": one.offer.paytable.name}
    said = {"stated": stated, "floor": floor}
    play, meter = one.play, one.progressive
    if play is None:
        return ComparedPayback(**named, **said, reason=one.reason)
    long_run = None if meter is None else meter.in_the_long_run
    problems = _problems(play.payback, play.error, long_run, stated, floor)
    return ComparedPayback(
        **named,
        **said,
        payback=_percent(play.payback),
        counted="by_model" if play.by_model else "sampled" if play.standard_error else "exactly",
        error=_percent(play.error) if play.error else None,
        long_run=None if long_run is None else _percent(long_run),
        findings=[
            PaybackFinding(wager=one.offer.name, problem=problem, payback=_percent(share), against=against)
            for problem, share, against in problems
        ],
    )


def _problems(
    payback: Fraction, error: Fraction, long_run: Fraction | None, stated: Payback | None, floor: Payback | None
) -> Iterator[tuple[PaybackProblem, Fraction, Payback]]:
    """Yield the findings on a payback: the problem, the payback concerned, and the value it was compared with."""
    if stated is not None and not agrees(payback, error, stated):
        yield "differs", payback, stated
    highest = max(payback, payback if long_run is None else long_run)
    if highest > 1:
        yield "above_all", highest, _ALL
    lasting = payback if long_run is None else long_run
    if floor is not None and 100 * lasting < Fraction(floor):
        yield "below_floor", lasting, floor


def agrees(payback: Fraction, error: Fraction, stated: Payback) -> bool:
    """Return whether a payback, give or take `error`, rounds to the stated percentage at its number of decimals.

    >>> [agrees(Fraction(92264, 100000), Fraction(0), stated) for stated in ("92.26", "92.264", "92.27", "92")]
    [True, True, False, True]
    """
    _, _, decimals = stated.partition(".")
    half = Fraction(1, 2 * 10 ** len(decimals))
    return abs(100 * payback - Fraction(stated)) <= half + 100 * error


def _not_by_itself(wanted: RulesSubmission, listed: Iterable[str]) -> Iterator[ComparedPayback]:
    """Yield a row for each wager with a stated payback but none computed, because it is part of another wager's."""
    for wager in wanted.stated_paybacks.keys() - set(listed):
        reason = "it is counted with the wager that it is added to: state that wager's payback"
        yield ComparedPayback(wager=wager, title=wager, stated=wanted.stated_paybacks[wager], reason=reason)


def overridden(found: Sequence[ComparedPayback], reason: str | None) -> Overridden | None:
    """Return the overridden findings with the reason for the override; None if there are no findings.

    Raises: Rejected if there are findings but no reason, or a reason but no findings.
    """
    findings = [finding for one in found for finding in one.findings]
    if findings and reason is None:
        raise Rejected(
            Reason.OVERRIDE_NEEDED,
            f"{'; '.join(map(_words, findings))}: approve it with `override`, the reason why that may be",
            findings=[Finding(f"/paybacks/{finding.wager}", _words(finding)) for finding in findings],
        )
    if reason is not None and not findings:
        raise Rejected(Reason.NOT_ALLOWED, "'override': there is nothing to override; approve it without a reason")
    return None if reason is None else Overridden(reason=reason, findings=tuple(findings))


def _words(finding: PaybackFinding) -> str:
    says = {
        "differs": f"the licensee states {finding.against}%",
        "above_all": "more than is wagered",
        "below_floor": f"the property's floor is {finding.against}%",
    }
    return f"{finding.wager} pays back {finding.payback}%, {says[finding.problem]}"


def _percent(share: Fraction) -> Payback:
    """Return a share as a percentage, rounded to four decimals.

    >>> _percent(Fraction(2, 3))
    '66.6667'
    """
    return f"{float(100 * share):.{_DIGITS}f}"
