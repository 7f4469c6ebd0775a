"""The regulations that rounds can be settled under, by id: the public functions of the rules."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from pydantic import ValidationError

from shared.rules.blackjack import BLACKJACK
from shared.rules.catalogue import catalogue, known_regulations
from shared.rules.dj_wild import DJ_WILD
from shared.rules.errors import Refused, refused_by_validation
from shared.rules.face_up_pai_gow import FACE_UP_PAI_GOW
from shared.rules.game import Game, Rules
from shared.rules.holdem import HOLDEM
from shared.rules.over_under import OVER_UNDER
from shared.rules.pai_gow import PAI_GOW
from shared.rules.record import Round, Submission
from shared.rules.settlement import Settlement
from shared.rules.submission import select

_GAMES: Final[Mapping[str, Game[Any]]] = {
    "blackjack": BLACKJACK,
    "dj_wild": DJ_WILD,
    "face_up_pai_gow": FACE_UP_PAI_GOW,
    "holdem": HOLDEM,
    "over_under": OVER_UNDER,
    "pai_gow": PAI_GOW,
}

REGULATIONS: Final[tuple[str, ...]] = known_regulations()
"""The ids of the regulations, such as `pa-633a-2024`."""


def round_type(regulation: str) -> type[Round]:
    """The model of a round record under this regulation; raises `Refused` for an unknown id."""
    model: type[Round] = _game(regulation).round_type
    return model


def parse_round(regulation: str, raw: Mapping[str, Any]) -> Round:
    """A round record from its document; raises `Refused` for a form that is wrong, naming seat, field and value."""
    try:
        return round_type(regulation).model_validate(raw)
    except ValidationError as error:
        raise refused_by_validation(error, raw, paragraphs=catalogue(regulation).record) from None


def validate_submission(regulation: str, submission: Submission) -> None:
    """Raise `Refused` where a rules submission selects what the regulation does not allow, or its game cannot read."""
    compile_rules(regulation, submission)


def compile_rules(regulation: str, submission: Submission) -> Rules[Any]:
    """Check a submission once and resolve all that it selects; raises `Refused`."""
    rules: Rules[Any] = _game(regulation).compile(select(catalogue(regulation), submission))
    return rules


def settle(regulation: str, round_: Round, submission: Submission) -> Settlement:
    """Settle one round; raises `Refused`. For many rounds compile the submission once, with `compile_rules`."""
    model = round_type(regulation)
    if not isinstance(round_, model):
        raise Refused(f"a {type(round_).__name__} is not a round under {regulation}, which is a {model.__name__}")
    return compile_rules(regulation, submission).settle(round_)


def payback(regulation: str, wager: str, submission: Submission) -> Fraction:
    """The exact expected return of a wager: what comes back of each cent staked, the stake included.

    Counted over all initial cards from full decks, at full odds without a payout limit. Raises `Refused` for a wager
    that is not offered, and for one whose payback depends on how hands are played or on a meter.
    """
    result: Fraction = _game(regulation).payback(select(catalogue(regulation), submission), wager)
    return result


def _game(regulation: str) -> Game[Any]:
    return _GAMES[catalogue(regulation).game]
