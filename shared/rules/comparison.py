"""The differences between two rules submissions as text, for the approver and for the regulator. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Final

from shared.rules._regulations import returns
from shared.rules.catalogue import Catalogue, Paytable, catalogue
from shared.rules.document import in_dollars, in_percent, what_pays
from shared.rules.errors import Refused
from shared.rules.record import BetLimits, Meter, Submission
from shared.rules.submission import Offer, Selection, examine

Payback = Callable[[str, str, Submission], Fraction | None]
"""(regulation, wager, submission) -> the wager's exact return per unit staked; None if it is not counted."""

_UNITS: Final = 100


def counted_payback(regulation: str, wager: str, submission: Submission) -> Fraction | None:
    """Return a wager's exact return per unit staked; None if it depends on how hands are played, or on a meter."""
    try:
        return returns(regulation, wager, submission).mean
    except Refused:
        return None


def differences(
    regulation: str, old: Submission, new: Submission, *, before: str | None = None, payback: Payback = counted_payback
) -> list[str]:
    """Return the changes made by a later submission, one per line; empty if there are none.

    `before` is the regulation of the old submission, if it differs. Submissions that their catalogue does not allow,
    such as drafts, are compared without their paytables.
    """
    earlier = before or regulation
    lines = [] if earlier == regulation else [f"regulation: {earlier} to {regulation}"]
    one, other = examine(catalogue(earlier), old)[0], examine(catalogue(regulation), new)[0]
    if one is None or other is None:
        one = other = None
    lines += _plain("decks", _decks(one, old), _decks(other, new))
    lines += _named("option", "", _options(one, old), _options(other, new))
    lines += _plain("payout limit", _limit(one, old), _limit(other, new))
    lines += _bets(catalogue(regulation), old.bets or {}, new.bets or {})
    if one is None or other is None:
        return [*lines, *_unresolved(catalogue(regulation), old, new)]

    def line(wager: str) -> Iterator[str]:
        yield from _wager(
            one.offers.get(wager),
            other.offers.get(wager),
            lambda: (payback(earlier, wager, old), payback(regulation, wager, new)),
            anew=one.decks != other.decks or one.options != other.options,
        )

    for wager in dict.fromkeys((*one.offers, *other.offers)):
        lines += line(wager)
    return lines


def _wager(
    old: Offer | None,
    new: Offer | None,
    paybacks: Callable[[], tuple[Fraction | None, Fraction | None]],
    *,
    anew: bool,
) -> Iterator[str]:
    """Yield the line of a wager that was added, dropped or changed; with `anew`, a change of payback alone counts."""
    if new is None:
        assert old is not None
        yield f"{old.wager.title}: dropped{_terms(old)}"
    elif old is None:
        paid = paybacks()[1]
        yield f"{new.wager.title}: added{_terms(new)}" + ("" if paid is None else f"; payback {_share(paid)}")
    else:
        parts = [*_named("option", "", dict(old.options), dict(new.options)), *_meters(old.meter, new.meter)]
        if _said(old.paytable) != _said(new.paytable):
            parts = [*_paytables(old.paytable, new.paytable), *parts]
        one, other = paybacks() if parts or anew else (None, None)
        if one is not None and other is not None and (parts or one != other):
            same = f"{_share(one)}, unchanged" if one == other else f"{_share(one)} to {_share(other)}"
            parts.append(f"payback {same}")
        if parts:
            yield f"{new.wager.title}: {'; '.join(parts)}"


def _terms(offer: Offer) -> str:
    named = [] if offer.paytable.name is None else [f"paytable {offer.paytable.name}"]
    return f" ({', '.join((*named, *_meter(offer.meter)))})" if named or offer.meter is not None else ""


def _said(table: Paytable) -> tuple[str | None, int | None, list[tuple[str, str]]]:
    return table.name, table.stake, [(row.category, what_pays(row)) for row in table.rows]


def _paytables(old: Paytable, new: Paytable) -> Iterator[str]:
    """Yield changes of the paytable's name and stake, and every row of either paytable with both payouts."""
    if old.name != new.name:
        yield f"paytable {old.name or 'without a name'} to {new.name or 'without a name'}"
    if old.stake != new.stake:
        yield f"for a wager of {in_dollars(new.stake or 0)}, was {in_dollars(old.stake or 0)}"
    before, after = ({row.category: what_pays(row) for row in table.rows} for table in (old, new))
    for category, pays in after.items():
        was = before.get(category)
        yield f"{_words(category)} {pays}, " + (
            "added" if was is None else "unchanged" if was == pays else f"was {was}"
        )
    for category, was in before.items():
        if category not in after:
            yield f"{_words(category)} dropped, was {was}"


def _meter(meter: Meter | None) -> Iterator[str]:
    if meter is not None:
        yield f"meter from {in_dollars(meter.reset)} on at {in_percent(meter.rate)}"


def _meters(old: Meter | None, new: Meter | None) -> Iterator[str]:
    for name, show in (("rate", in_percent), ("reset", in_dollars), ("reserve_rate", in_percent)):
        one, other = (None if meter is None else getattr(meter, name) for meter in (old, new))
        yield from _plain(
            f"meter's {_words(name)}", None if one is None else show(one), None if other is None else show(other)
        )


def _decks(selection: Selection | None, submission: Submission) -> int | None:
    return submission.decks if selection is None else selection.decks


def _limit(selection: Selection | None, submission: Submission) -> str | None:
    cents = submission.payout_limit if selection is None else selection.payout_limit
    return None if cents is None else in_dollars(cents)


def _options(selection: Selection | None, submission: Submission) -> Mapping[str, object]:
    return submission.options if selection is None else selection.options


def _bets(known: Catalogue, old: Mapping[str, BetLimits], new: Mapping[str, BetLimits]) -> Iterator[str]:
    for wager in dict.fromkeys((*old, *new)):
        title = known.wagers[wager].title if wager in known.wagers else wager
        one, other = old.get(wager, BetLimits()), new.get(wager, BetLimits())
        for name in ("least", "most"):
            amounts = (getattr(bets, name) for bets in (one, other))
            said = [None if cents is None else in_dollars(cents) for cents in amounts]
            yield from _plain(f"{title}: {name} wager", *said)


def _unresolved(known: Catalogue, old: Submission, new: Submission) -> Iterator[str]:
    """Yield the wagers that differ, as selected in the submissions, if these cannot be resolved."""
    for wager in dict.fromkeys((*old.wagers, *new.wagers)):
        title = known.wagers[wager].title if wager in known.wagers else wager
        one, other = old.wagers.get(wager), new.wagers.get(wager)
        if one is None or other is None:
            yield f"{title}: {'added' if one is None else 'dropped'}"
        elif one != other:
            parts = (
                *_plain("paytable", one.paytable, other.paytable),
                *_named("option", "", one.options, other.options),
                *_meters(one.meter, other.meter),
            )
            yield f"{title}: {'; '.join(parts)}"


def _named(what: str, where: str, old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[str]:
    for name in dict.fromkeys((*old, *new)):
        yield from _plain(f"{where}{what} {_words(name)}", old.get(name), new.get(name))


def _plain(what: str, old: object, new: object) -> Iterable[str]:
    return () if old == new else (f"{what}: {_value(old)} to {_value(new)}",)


def _value(value: object) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case Fraction():
            return f"{float(value):g}"
        case _:
            return str(value)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _share(value: Fraction) -> str:
    """Return a share as a percentage with two decimals.

    >>> _share(Fraction(92264, 100000))
    '92.26%'
    """
    return f"{round(value * _UNITS * _UNITS) / _UNITS:.2f}%"
