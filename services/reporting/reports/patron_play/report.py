"""Patrons' settled play: handle, settled win and theoretical win, by patron, game and wager type."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Identity, Section, fill
from services.reporting.framework.figures import NOTHING, Cell
from services.reporting.read_model.patrons import patrons_of
from services.reporting.read_model.reading import Books
from services.reporting.reports.common.settled_play import Play, PlayOfAccount, settled_play, together
from services.reporting.reports.common.theoretical_win import STATED_HOUSE_EDGE
from shared.contracts.accounts import AccountOpened, PatronRegistered
from shared.contracts.reports import percent_of
from shared.contracts.settlements import SettlementPosted, SettlementReversed
from shared.contracts.submissions import SubmissionApproved
from shared.runtime.http.roles import READ_PATRON_REPORTS

_PATRON: Final = Column(name="patron", title="Patron", formula="by reference; empty if the account's owner is unknown")
_ACCOUNT: Final = Column(name="account", title="Account", formula="only if its owner is unknown")
_GAME: Final = Column(name="game", title="Game")
_PLAY: Final = (
    Column(
        name="stakes",
        title="Stakes",
        unit="count",
        added=True,
        formula="number of stakes against the house with money from an account",
    ),
    Column(name="handle_cents", title="Handle", unit="cents", added=True, formula="amount staked"),
    Column(
        name="funded_cents",
        title="From accounts",
        unit="cents",
        added=True,
        formula="part of the handle staked from accounts; the rest was in chips",
    ),
    Column(name="payout_cents", title="Payout", unit="cents", added=True, formula="including returned stakes"),
    Column(name="win_cents", title="Settled win", unit="cents", added=True, formula="handle - payout, before meters"),
    Column(
        name="theoretical_win_cents",
        title="Theoretical win",
        unit="cents",
        formula=(
            "sum over wagers of handle x house edge of the rules submission, rounded half to even; only wagers "
            "that have a house edge, empty if there are none"
        ),
    ),
    Column(
        name="theoretical_error_cents",
        title="Standard error",
        unit="cents",
        formula="standard error of the theoretical win; 0 if all house edges are exact",
    ),
    Column(
        name="deviation_cents",
        title="Standard deviation",
        unit="cents",
        formula=(
            "standard deviation of the win by chance: square root of the sum over wagers of exact variance x "
            "squared stakes; empty if a wager has no exact distribution"
        ),
    ),
)

PATRONS: Final = Section(
    name="patrons",
    title="By patron and game",
    key=("patron", "account", "game"),
    columns=(
        _PATRON,
        _ACCOUNT,
        _GAME,
        Column(name="rounds", title="Rounds", unit="count", added=True, formula="rounds with a wager from an account"),
        *_PLAY,
        Column(
            name="without_house_edge",
            title="Without house edge",
            formula="wagers without a house edge, each with its share of the handle",
        ),
        STATED_HOUSE_EDGE,
    ),
)
WAGERS: Final = Section(
    name="wagers",
    title="By patron, game, wager and version",
    key=("patron", "account", "game", "wager", "version", "submission"),
    columns=(
        _PATRON,
        _ACCOUNT,
        _GAME,
        Column(name="wager", title="Wager"),
        Column(name="version", title="Version", formula="version of the rules submission in effect for the wager"),
        Column(name="submission", title="Rules submission", formula="hash of the rules submission"),
        *_PLAY,
        Column(name="house_edge_percent", title="House edge %", unit="percent"),
        Column(
            name="counted",
            title="House edge method",
            formula="exactly; or sampled or by_model, with a standard error; stated: the licensee's own value",
        ),
        STATED_HOUSE_EDGE,
        Column(name="reason", title="Why there is no house edge"),
    ),
)

_Whose = tuple[str | None, str | None]
"""The key of play: (patron, None), or (None, account) if the owner of the account is unknown."""


async def _fill(books: Books) -> Content:
    played = await settled_play(books)
    patrons = await patrons_of(books, (one.account for one in played))
    of_game: dict[tuple[_Whose, str], list[Play]] = defaultdict(list)
    of_wager: dict[tuple[_Whose, str, str, str, str], list[PlayOfAccount]] = defaultdict(list)
    for one in played:
        patron = patrons.get(one.account)
        whose = (patron, None if patron else one.account)
        of_game[whose, one.game].append(one.play)
        of_wager[whose, one.game, one.wager, one.version, one.submission].append(one)
    whole = together(one.play for one in played)
    sections = (fill(PATRONS, _patrons(of_game)), fill(WAGERS, _wagers(of_wager)))
    return Content(sections, await _identities(books, whole))


def _cells(whose: _Whose, game: str, play: Play) -> dict[str, Any]:
    return {
        "patron": whose[0],
        "account": whose[1],
        "game": game,
        "stakes": play.stakes,
        "handle_cents": play.handle,
        "funded_cents": play.funded,
        "payout_cents": play.payout,
        "win_cents": play.win,
        "theoretical_win_cents": play.theoretical.shown,
        "theoretical_error_cents": play.theoretical.error,
        "deviation_cents": play.deviation,
    }


def _in_order(keys: Iterable[tuple[Any, ...]]) -> Sequence[tuple[Any, ...]]:
    """Return the keys sorted by patron; keys without a known patron come last."""
    return sorted(keys, key=lambda key: (key[0][0] is None, key[0][0] or "", key[0][1] or "", *key[1:]))


def _patrons(of_game: Mapping[tuple[_Whose, str], Sequence[Play]]) -> Iterator[dict[str, Any]]:
    for whose, game in _in_order(of_game):
        play = together(of_game[whose, game])
        yield _cells(whose, game, play) | {
            "rounds": play.rounds,
            "without_house_edge": play.without_house_edge,
            "stated_house_edge": play.stated_house_edge,
        }


def _wagers(of_wager: Mapping[tuple[_Whose, str, str, str, str], Sequence[PlayOfAccount]]) -> Iterator[dict[str, Any]]:
    for key in _in_order(of_wager):
        whose, game, wager, version, submission = key
        parts = of_wager[whose, game, wager, version, submission]
        play, edge = together(part.play for part in parts), parts[0].edge
        keeps = None if edge is None else edge.house_edge
        reason = "the rules submission has not come from the registry, or has no such wager" if edge is None else None
        yield _cells(whose, game, play) | {
            "wager": wager,
            "version": version,
            "submission": submission,
            "house_edge_percent": None if keeps is None else Cell(percent_of(keeps, 1), play.handle),
            "counted": None if edge is None else edge.counted,
            "stated_house_edge": play.stated_house_edge,
            "reason": edge.why_none if edge is not None else reason,
        }


async def _identities(books: Books, whole: Play) -> tuple[Identity, ...]:
    """Return the identity that patrons' stakes from accounts equal the stakes that rounds took from accounts."""
    taken = (await books.rounds((), figures=("account_staked_cents",))).get((), {})
    return (
        Identity(
            "accounts and rounds",
            whole.funded,
            taken.get("account_staked_cents", NOTHING),
            "amounts staked from accounts: by all patrons, and by the rounds",
        ),
    )


PATRON_PLAY: Final = Report(
    name="patron-play",
    title="Patron play, from settled rounds",
    about=(
        "Wagers of each patron from accounts, by game and wager, from every settled round: handle and settled "
        "win beside the theoretical win, its standard error, and the standard deviation of the win by chance. "
        "Wagers in chips are excluded: those in seats that a device tied to a rated patron are in "
        "ratings-against-rounds, all others belong to unidentified players."
    ),
    sections=(PATRONS, WAGERS),
    sources=(SettlementPosted, SettlementReversed, SubmissionApproved, AccountOpened, PatronRegistered),
    fill=_fill,
    role=READ_PATRON_REPORTS,
)
