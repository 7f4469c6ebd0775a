"""What reporting reads of a settlement event: figures, round, reasons, and the entry that it came from.

The contract is shared/contracts/settlement_events.py. Reporting looks at a part of it and passes over the rest, which
spares most of the decoding (cards and lines) and lets the publisher add fields.
"""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from shared.contracts.envelope import Contract
from shared.contracts.settlements import (
    Gap,
    GapFilled,
    QuarantineDismissed,
    RecordMended,
    RecordQuarantined,
    RoundNotice,
    SettledRound,
    WagerTotal,
)
from shared.contracts.settlement_reading import PASS_OVER, EntryOfPublisher, Explained, Under
from shared.rules.errors import refused_by_validation


class Figures(WagerTotal):
    """What a round did on one wager type, in cents."""

    model_config = PASS_OVER


class Remarked(RoundNotice):
    """Something that settling found and that a person should know of."""

    model_config = PASS_OVER


class PostedRound(SettledRound):
    """A round whose money was posted."""

    model_config = PASS_OVER

    submission: Under
    revision: int
    correction: Explained | None = None
    totals: tuple[Figures, ...]
    notices: tuple[Remarked, ...] = ()


class ReversedRound(SettledRound):
    """A round whose money was taken back."""

    model_config = PASS_OVER

    submission: Under | None = None
    revision: int
    correction: Explained
    totals: tuple[Figures, ...]


class UncountedRound(SettledRound):
    """A round of which something was recorded that moved no money."""

    model_config = PASS_OVER

    correction: Explained | None = None


class Opened(Gap):
    """Events that have not come."""

    model_config = PASS_OVER


class Filled(GapFilled):
    """A missing event that came."""

    model_config = PASS_OVER


class Quarantined(RecordQuarantined):
    """A refused record."""

    model_config = PASS_OVER


class Mended(RecordMended):
    """A record that replaced refused ones."""

    model_config = PASS_OVER


class Dismissed(QuarantineDismissed):
    """A refused record that nothing replaces."""

    model_config = PASS_OVER


class _Posted(EntryOfPublisher[PostedRound]):
    type: Literal["settlement.posted"]


class _Reversed(EntryOfPublisher[ReversedRound]):
    type: Literal["settlement.reversed"]


class _Superseded(EntryOfPublisher[UncountedRound]):
    type: Literal["settlement.superseded"]


class _Voided(EntryOfPublisher[UncountedRound]):
    type: Literal["settlement.voided"]


class _Opened(EntryOfPublisher[Opened]):
    type: Literal["gap.opened"]


class _Filled(EntryOfPublisher[Filled]):
    type: Literal["gap.filled"]


class _Quarantined(EntryOfPublisher[Quarantined]):
    type: Literal["record.quarantined"]


class _Mended(EntryOfPublisher[Mended]):
    type: Literal["record.mended"]


class _Dismissed(EntryOfPublisher[Dismissed]):
    type: Literal["quarantine.dismissed"]


_adapter: TypeAdapter[EntryOfPublisher[Any]] = TypeAdapter(
    Annotated[
        _Posted | _Reversed | _Superseded | _Voided | _Opened | _Filled | _Quarantined | _Mended | _Dismissed,
        Field(discriminator="type"),
    ]
)

FACTS: dict[str, type[Contract]] = {
    "gap.opened": Opened,
    "gap.filled": Filled,
    "record.quarantined": Quarantined,
    "record.mended": Mended,
    "quarantine.dismissed": Dismissed,
}
"""The entries that any journal has, reporting's own included, by kind."""


def decode(raw: bytes) -> EntryOfPublisher[Any]:
    """The event in the bytes of a Kafka record. Raises: Refused."""
    try:
        return _adapter.validate_json(raw)
    except ValidationError as error:
        raise refused_by_validation(error, None) from error
