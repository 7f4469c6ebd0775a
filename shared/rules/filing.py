"""Find all faults of a rules submission when it is filed, including those that would not prevent settlement."""

from collections.abc import Iterator
from fractions import Fraction

from shared.rules._regulations import game_of
from shared.rules.catalogue import PayoutLimit, catalogue, known_regulations
from shared.rules.errors import Finding, Refused
from shared.rules.record import Submission
from shared.rules.submission import Offer, Selection, examine


def check_submission(regulation: str, submission: Submission) -> list[Finding]:
    """Return all faults of a submission, each with its place in the submission and its paragraph.

    Some faults prevent settlement: `select` and the game itself would refuse the submission. Others only prevent
    filing: a missing house way that the regulation demands, or a payout limit below the most that one patron could win.
    """
    if regulation not in known_regulations():
        known = ", ".join(known_regulations())
        return [Finding("/regulation", f"regulation {regulation!r} is not known; known are {known}")]
    selection, found = examine(catalogue(regulation), submission)
    demanded = list(_filed(regulation, submission))
    if selection is None:
        return [*found, *demanded]
    try:
        game_of(regulation).compile(selection)
    except Refused as refused:
        # All that a game itself checks of a selection is the text of a house way.
        demanded.insert(0, Finding("/options/house_way", refused.reason, refused.paragraph))
    return [*demanded, *_bets(selection, submission), *_least_limit(selection, submission)]


def _filed(regulation: str, submission: Submission) -> Iterator[Finding]:
    for name, option in catalogue(regulation).options.items():
        if option.filed and name not in submission.options:
            detail = f"option '{name}' is missing: the submission says it ({option.about})"
            yield Finding(f"/options/{name}", detail, option.paragraph)


def _bets(selection: Selection, submission: Submission) -> Iterator[Finding]:
    for name, bets in (submission.bets or {}).items():
        offered = selection.offers.get(name)
        if offered is None:
            detail = f"'bets': wager '{name}' is not offered; there are: {', '.join(selection.offers)}"
            yield Finding(f"/bets/{name}", detail, selection.catalogue.offered)
            continue
        if bets.least is not None and bets.most is not None and bets.most < bets.least:
            detail = f"'bets': the most of wager '{name}' {bets.most} is below the least {bets.least}"
            yield Finding(f"/bets/{name}/most", detail, offered.wager.paragraph)
        required = offered.wager.least
        if required is not None and bets.least is not None and bets.least < required:
            detail = f"'bets': the least of wager '{name}' {bets.least} is below {required}"
            yield Finding(f"/bets/{name}/least", detail, offered.wager.paragraph)


def _least_limit(selection: Selection, submission: Submission) -> Iterator[Finding]:
    terms, limit = selection.catalogue.payout_limit, selection.payout_limit
    if terms is None or limit is None or submission.bets is None:
        return
    won = could_win(selection, submission, terms)
    if won > limit:
        yield Finding(
            "/payout_limit",
            f"'payout_limit' {limit} is below {won}, what one patron could win in a round when betting the "
            f"{'minimum' if terms.betting == 'least' else 'maximum'} (`bets`)",
            terms.paragraph,
        )


def could_win(selection: Selection, submission: Submission, terms: PayoutLimit) -> int:
    """Return the most that one patron could win in a round on the limited wagers, in cents, with the bets of `terms`.

    Interpretation: only odds count, because a meter's reading is not an amount of the submission, and Envy Bonuses
    depend on other hands. Each wager is assumed to win its best row, because all wagers can do so in one round. If the
    limit is for pairs of one card from each deck, every two decks hold one such pair. The patron is assumed to get all
    these pairs, one in each box of the patron. `terms` determines whether bets are the least or the most permitted.
    """
    best = sorted((_best(offer, submission, terms) for offer in selection.offers.values()), reverse=True)
    if not terms.pairs:
        return sum(best)
    boxes = selection.options.get("adjacent_boxes") or selection.catalogue.seats.most
    assert isinstance(boxes, int)
    assert selection.decks is not None
    return sum([cents for cents in best for _ in range(selection.decks // 2)][:boxes])


def _best(offer: Offer, submission: Submission, terms: PayoutLimit) -> int:
    """Return the maximum payout, in cents, of a patron's wager under the limit; 0 if the submission states no bet."""
    bets = (submission.bets or {}).get(offer.name)
    bet = None if bets is None else getattr(bets, terms.betting)
    if bet is None or (terms.wagers and offer.name not in terms.wagers):
        return 0
    limited = [row for row in offer.paytable.rows if row.limited] if terms.pairs else offer.paytable.rows
    odds = [row.parsed_odds.ratio for row in limited if row.parsed_odds is not None]
    return int(max(odds, default=Fraction(0)) * bet)
