"""The work on batches of archived settlements: settle them under other rules, or derive them again from their records.

Spark's workers and the single process call the same objects with Arrow batches, which is why their results are equal.
An object is pickled on its way to a worker: it has documents, and compiles them where it works.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import lru_cache
from itertools import zip_longest
from typing import Any, Final, cast

import pyarrow as pa
from pyarrow import parquet
from pydantic_core import from_json

from services.cli.spark.work import Batches, Read, Work, batch_of, day_schema, rows_of
from services.round_settlement.domain.money import BANK, DEALER_SEAT
from services.round_settlement.domain.settling import EffectiveSubmission, derive_again
from services.round_settlement.domain.what_if import Alternative, countable_reason
from shared.contracts.catalog import decode_fact
from shared.contracts.settlements import SettlementPosted, SettlementReversed, SubmissionRef
from shared.contracts.submissions import RulesSubmission, SubmissionApproved, submission_hash
from shared.contracts.upcasting import upcast_data
from shared.journal.archive.rows import accounts_of
from shared.journal.entry import Account, Posting
from shared.rules import Refused, compile_rules
from shared.rules.line import HOUSE

POSTED: Final = SettlementPosted.KIND.types
"""The kinds of entries that post a round, of all versions."""
REVERSED: Final = SettlementReversed.KIND.types
"""The kinds of entries that reverse a posting, of all versions."""

Day = tuple[str, date]
"""(property, gaming day)."""


class ReversedRevisions(Work):
    """Finds which revisions of rounds were reversed. A reversal is filed on the gaming day that it takes back."""

    columns = ("property", "gaming_day", "kind", "data")
    schema = day_schema("table_name round_id", "revision")

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = []
            for property_name, day, kind, data in rows_of(batch, self.columns):
                said = from_json(upcast_data(kind, data))
                rows.append((property_name, day, said["table"], said["round_id"], said["revision"]))
            yield batch_of(rows, self.schema)


class SettleAgain(Work):
    """Settles posted rounds of a game again under another rules submission: a row for each round and wager.

    The rounds are those of the submission's game at any property and table; what the submission says of property,
    tables and beginning is ignored. A round that it does not allow has one row, with the reason and without amounts.
    """

    columns = ("property", "gaming_day", "kind", "data")
    schema = day_schema(
        "table_name round_id wager refused",
        "revision handle_cents payout_cents win_cents other_handle_cents other_payout_cents other_win_cents",
    )

    def __init__(self, wanted: RulesSubmission) -> None:
        """Raise Refused if the regulation does not allow the submission's selections."""
        Alternative(wanted)
        self._wanted = wanted.model_dump_json()

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        wanted = RulesSubmission.model_validate_json(self._wanted)
        alternative = Alternative(wanted)
        for batch in batches:
            rows: list[tuple[Any, ...]] = []
            for property_name, day, kind, data in rows_of(batch, self.columns):
                said = from_json(upcast_data(kind, data))
                if said["game"] == wanted.game:
                    about = (property_name, day, said["table"], said["round_id"])
                    rows += ((*about, *row) for row in _settled(alternative, said))
            yield batch_of(rows, self.schema)


def _settled(alternative: Alternative, said: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield (wager, reason of a refusal, revision, recorded and other figures in cents)."""
    try:
        sums = alternative.settle_round(said)
    except Refused as error:
        yield "", countable_reason(error), said["revision"], *(0,) * 6
        return
    for wager, one in sums.items():
        yield wager, "", said["revision"], *one.recorded, *one.other


class PlayBySeat(Work):
    """Adds up what each seat wagered and received in a round, against the house: a row for each round and seat.

    Void lines, the bank of a player and wagers against it are not counted. `received_cents` includes returned stakes,
    and is less vigorish. `opened_hour` is in UTC. A row says nothing of who sat there.
    """

    columns = ("property", "gaming_day", "kind", "data")
    schema = day_schema("table_name round_id game opened_hour", "revision seat wagered_cents received_cents")

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows: list[tuple[Any, ...]] = []
            for property_name, day, kind, data in rows_of(batch, self.columns):
                said = from_json(upcast_data(kind, data))
                opened = datetime.fromisoformat(said["opened_at"]).astimezone(UTC)
                about = (property_name, day, said["table"], said["round_id"], said["game"], f"{opened:%Y-%m-%dT%HZ}")
                rows += ((*about, said["revision"], seat, *cents) for seat, cents in _by_seat(said["lines"]).items())
            yield batch_of(rows, self.schema)


def _by_seat(lines: Iterable[Mapping[str, Any]]) -> dict[int, tuple[int, int]]:
    """Return seat -> (wagered, received) in cents."""
    found: dict[int, tuple[int, int]] = {}
    for line in filter(_is_against_house, lines):
        wagered, received = found.get(line["seat"], (0, 0))
        back = line["payout"] + line["stake_returned"] - line.get("vigorish", 0)
        found[line["seat"]] = (wagered + line["stake"], received + back)
    return found


def _is_against_house(line: Mapping[str, Any]) -> bool:
    """Return whether a settlement line counts in the handle; void lines and lines of a bank do not."""
    of_bank = line["wager"] == BANK or line["seat"] == DEALER_SEAT or line.get("paid_by", HOUSE) != HOUSE
    return line["outcome"] != "void" and not of_bank


class CountHits(Work):
    """Counts the lines of a round against the house by wager and category: a row for each; '' is no category."""

    columns = ("property", "gaming_day", "kind", "data")
    schema = day_schema("table_name round_id game submission wager category", "revision version lines")

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows: list[tuple[Any, ...]] = []
            for property_name, day, kind, data in rows_of(batch, self.columns):
                said = from_json(upcast_data(kind, data))
                ref = said["submission"]
                about = (property_name, day, said["table"], said["round_id"], said["game"], ref["hash"])
                lines = Counter(
                    (line["wager"], line.get("category") or "") for line in said["lines"] if _is_against_house(line)
                )
                rows += ((*about, *key, said["revision"], ref["version"], count) for key, count in lines.items())
            yield batch_of(rows, self.schema)


class DeriveAgain(Work):
    """Derives posted rounds again from their records, under the submissions that they name, and compares all bytes.

    Returns a row for each entry that differs, and for each batch and day a row with the number of entries. A difference
    names fields and legs and no content: what an entry says of accounts of patrons is in no result.
    """

    columns = ("property", "gaming_day", "shard_name", "seq", "kind", "data", "accounts", "cents")
    schema = day_schema("shard_name table_name round_id what", "seq entries")

    def __init__(
        self, approved: Iterable[SubmissionApproved], accounts: Mapping[Day, Sequence[str]], read: Read
    ) -> None:
        """Take the approved submissions, and the paths of the files with the accounts of each day."""
        self._approved = {_name(one): one.model_dump_json() for one in approved}
        self._accounts, self._read = accounts, read

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        accounts = lru_cache(maxsize=32)(self._accounts_of)
        submissions = lru_cache(maxsize=1024)(self._compiled)
        for batch in batches:
            rows: list[tuple[Any, ...]] = []
            counted: dict[Day, int] = {}
            for property_name, day, shard_name, seq, kind, data, numbers, cents in rows_of(batch, self.columns):
                counted[property_name, day] = counted.get((property_name, day), 0) + 1
                known = accounts(property_name, day)
                postings = [
                    Posting(known.get(number, _NO_ACCOUNT), amount)
                    for number, amount in zip_longest(numbers, cents, fillvalue=0)
                ]
                about, what = _differences(kind, data, postings, submissions)
                if what:
                    rows.append((property_name, day, shard_name, *about, what, seq, 0))
            rows += ((*day, "", "", "", "", 0, entries) for day, entries in counted.items())
            yield batch_of(rows, self.schema)

    def _accounts_of(self, property_name: str, day: date) -> dict[int, Account]:
        found: dict[int, Account] = {}
        for path in self._accounts.get((property_name, day), ()):
            found.update(accounts_of(parquet.read_table(pa.BufferReader(self._read(path)), partitioning=None)))
        return found

    def _compiled(self, *name: Any) -> EffectiveSubmission | None:
        """Return an approved submission with its rules; None if there is none of that name."""
        text = self._approved.get(cast("_SubmissionName", name))
        if text is None:
            return None
        document = SubmissionApproved.model_validate_json(text)
        ref = SubmissionRef(version=document.version, hash=document.hash)
        return EffectiveSubmission(document, ref, compile_rules(document.regulation, document.submission))


_NO_ACCOUNT: Final = Account("", "", "", "")
_SubmissionName = tuple[str, str, int, str]


def _name(approved: SubmissionApproved) -> _SubmissionName:
    """Return (property, game, version, hash): a settlement names its submission by all four."""
    return approved.property, approved.game, approved.version, approved.hash


def is_hashed(approved: SubmissionApproved) -> bool:
    """Return whether a submission has the hash of its content, by which settlements name it."""
    return submission_hash(approved, approved.version) == approved.hash


def _differences(
    kind: str, data: bytes, postings: list[Posting], submissions: Callable[..., EffectiveSubmission | None]
) -> tuple[tuple[str, str], str]:
    """Return (table, round) of an archived settlement, and its differences from what is derived again, or ''."""
    try:
        posted = cast("SettlementPosted", decode_fact(kind, data))
    except (LookupError, ValueError):
        return ("", ""), "the entry is no settlement that this release can read"
    about = (posted.table, posted.round_id)
    ref = posted.submission
    submission = submissions(posted.property, posted.game, ref.version, ref.hash)
    if submission is None:
        return about, f"no approved submission {posted.game} version {ref.version} with the hash {ref.hash} is known"
    try:
        again = derive_again(posted, submission)
    except Refused as error:
        return about, f"the round is refused: {countable_reason(error)}"
    said, derived = upcast_data(kind, data), again.fact.encode()
    found = [] if said == derived else _changed(from_json(said), from_json(derived))
    if list(again.postings) != postings:
        found.append("postings")
    return about, f"derived again otherwise: {', '.join(found)}" if found else ""


def _changed(said: Mapping[str, Any], derived: Mapping[str, Any]) -> list[str]:
    """Return the names of the fields that differ."""
    return sorted(name for name in {**said, **derived} if said.get(name) != derived.get(name))
