"""What consumers of `settlements` have in common: each looks at a part of an entry and passes over the rest.

That spares most of the decoding, and lets the publisher add fields. The contract itself is in settlement_events.
"""

from typing import Annotated, Final, Generic, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

from shared.contracts.settlement_events import DataT, EntryEvent, SubmissionRef
from shared.contracts.table_events import Correction

PUBLISHER: Final = "round-settlement"
"""The service whose journal is on the topic."""

PASS_OVER: Final = ConfigDict(extra="ignore", frozen=True)
"""The configuration of a model that has a part of what was published."""


class EntryOfPublisher(EntryEvent[DataT], Generic[DataT]):
    """An entry of the publisher's journal."""

    source: Annotated[str, StringConstraints(pattern=rf"^/{PUBLISHER}/shards/[0-9]{{1,9}}$")]


class Explained(Correction):
    """Why a round changed, and who stands for it."""

    model_config = PASS_OVER


class Under(SubmissionRef):
    """The version of the rules submission under which a round settled."""

    model_config = PASS_OVER


class Other(BaseModel):
    """Nothing of an entry."""

    model_config = PASS_OVER


class NoMoney(EntryOfPublisher[Other]):
    """Something that posted no money: gaps, refused records, rounds that were never posted."""

    type: Literal[
        "settlement.superseded",
        "settlement.voided",
        "gap.opened",
        "gap.filled",
        "record.quarantined",
        "record.mended",
        "quarantine.dismissed",
    ]
