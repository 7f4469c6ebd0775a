"""Which wagers have a payback of their own, and what is said of those that have none; the figures stand by game."""

from typing import Any

import pytest

from shared.rules import REGULATIONS, Refused, catalogue, game_of, parse_submission, payback
from shared.rules.catalogue import Wager


def everything(regulation: str) -> dict[str, Any]:
    """Return a submission that offers every wager that needs no option, with the first paytable of each."""
    entries = catalogue(regulation)
    decks = {} if entries.decks is None else {"decks": entries.decks.most or 6}
    required = {name: option.choices[0] for name, option in entries.options.items() if option.required}
    optional = {name: wager for name, wager in entries.wagers.items() if wager.offered == "optional"}
    wagers = {name: terms(wager, decks.get("decks")) for name, wager in optional.items() if wager.requires is None}
    return decks | {"options": required, "wagers": wagers}


def terms(wager: Wager, decks: int | None) -> dict[str, Any]:
    """Return a paytable of the wager for so many decks, and its meter."""
    table = next(table for table in wager.paytables if table.is_for(decks))
    own_meter = wager.meter is not None and table.meter is None
    reset = table.reset or (0 if wager.meter is None else wager.meter.least_reset)
    meter = {"meter": {"rate": "0.3", "reset": reset}} if own_meter else {}
    return ({} if table.name is None else {"paytable": table.name}) | meter


@pytest.mark.parametrize("regulation", REGULATIONS)
def test_every_wager_has_a_payback_or_a_reason(regulation: str) -> None:
    """The cards alone decide some wagers; a refusal for any other says for which of those on offer it is counted."""
    submission = parse_submission(everything(regulation))
    offered = [name for name, wager in catalogue(regulation).wagers.items() if wager.requires is None]
    counted = [name for name in offered if name in game_of(regulation).counts]
    assert counted
    for wager in offered:
        if wager in counted:
            assert 0 < payback(regulation, wager, submission) < 1
            continue
        with pytest.raises(Refused, match=f"it is counted for {', '.join(counted)} ") as refusal:
            payback(regulation, wager, submission)
        assert refusal.value.paragraph == catalogue(regulation).wagers[wager].decided


@pytest.mark.parametrize("regulation", REGULATIONS)
def test_the_payback_of_a_wager_that_is_not_offered_is_refused(regulation: str) -> None:
    """The refusal lists the wagers that are."""
    bare = everything(regulation) | {"wagers": {}}
    always = [name for name, wager in catalogue(regulation).wagers.items() if wager.offered != "optional"]
    with pytest.raises(Refused, match=f"'no_wager' is not offered; there are: {', '.join(always)} "):
        payback(regulation, "no_wager", parse_submission(bare))


def test_a_submission_may_offer_no_wager_that_is_counted() -> None:
    """The refusal says so."""
    with pytest.raises(Refused, match="it is counted for no wager that is offered"):
        payback("pa-687a", "ante", parse_submission({}))
