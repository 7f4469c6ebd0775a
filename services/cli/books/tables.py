"""Every database table: its source, and how an altered, added or deleted row is detected.

Projections are taken from the services' manifests; other tables are listed here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from shared.runtime.projections.projection_replay import keepers_of, tables_of
from shared.runtime.service.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Fate:
    """What happens if somebody alters, adds or deletes a row of a database table, bypassing the service.

    `how` is `refused` if `by` prevents any effect, `found` if `by` detects the change, `survived` if the change does no
    harm or is undone, and `missed` if nothing detects it; `by` then describes the consequence. `after` is the time
    until detection. `test` names the test that proves this; it is empty if the test is generated from this declaration.
    """

    how: Literal["refused", "found", "survived", "missed"]
    by: str
    after: str = ""
    test: str = ""

    def words(self) -> str:
        """Return the outcome as text for the documentation: how, by what, and after how long."""
        return f"{self.how}: {self.by}" + (f", {self.after}" if self.after else "")


@dataclass(frozen=True, slots=True)
class Kept:
    """A database table: its source (`follows`), and what happens to an altered, added or deleted row.

    `unseen` are columns whose alteration is not detected, each with the consequence.
    """

    follows: str
    altered: Fate
    added: Fate
    deleted: Fate
    unseen: Mapping[str, str] | None = None

    @property
    def fates(self) -> Mapping[str, Fate]:
        """Return the outcome of each kind of tampering with a row."""
        return {"altered": self.altered, "added": self.added, "deleted": self.deleted}


COMPARED: Final = Fate("found", "a comparison")
"""Detected by the running service's drift monitor, and at once by `pitledger rebuild --check`."""

VERIFIED: Final = Fate("found", "a rotation")
"""Detected by the running service's journal verifier, and at once by `pitledger verify`."""

_ANSWERS: Final = "tests/integration/test_altered_answers.py"
_COPIES: Final = "tests/integration/test_altered_copies.py"
_CODES: Final = "tests/integration/wagering_accounts/test_altered_codes.py"
_RELAY: Final = "tests/integration/test_relay.py"
_MARKS: Final = "tests/integration/test_scrubbing.py"
_VERIFY: Final = "tests/integration/test_cli_verify.py"
_TABLES: Final = "tests/integration/test_every_table.py"
_TOPICS: Final = "tests/integration/test_topics_anew.py"
_KEPT: Final = "tests/integration/reporting/test_altered_kept.py"
_KEYS: Final = "tests/integration/wagering_accounts/test_altered_keys.py"

_FILES: Final = "tests/integration/wagering_accounts/test_filed_files.py"
_SARS: Final = "tests/integration/suspicious_activity/test_sars.py"
_FILE_TEST: Final = "test_an_altered_file_is_not_shown"

_OF_JOURNAL: Final[Mapping[str, Kept]] = {
    "accounts": Kept(
        "nothing: the numbers of the accounts in entries; the hash of each entry covers its accounts",
        VERIFIED,
        Fate("survived", "no entry refers to the row", test=f"{_TABLES}::test_what_is_survived_changes_nothing"),
        VERIFIED,
    ),
    "alembic_version": Kept(
        "the migrations that were run",
        *(Fate("survived", "only `pitledger db upgrade` reads it, and stops at an unknown revision"),) * 3,
    ),
    "checkpoints": Kept(
        "the entries, signed by the service; the external store has each checkpoint, or a later one in its place",
        Fate(
            "found",
            "`pitledger verify`: the signature is invalid, or the store does not have the checkpoint",
            "at once",
            f"{_VERIFY}::test_a_listed_checkpoint_that_was_altered_is_named",
        ),
        Fate(
            "survived",
            "one of no shard is never read; of another `pitledger verify` reports that the store does not have it",
            "at once",
            f"{_VERIFY}::test_a_checkpoint_of_nobody_is_named",
        ),
        Fate(
            "survived",
            "the store has the checkpoint",
            test=f"{_VERIFY}::test_a_checkpoint_that_is_not_kept_any_more_is_found",
        ),
        {
            "shard": "a checkpoint of no shard is never read, and the store has the original",
            "signed_at": "the time of signing is never read from the database",
            "tile_roots": "a proof with it leads to no signed root and is withheld; without it the entries are read",
        },
    ),
    "copies": Kept("the copies that the service signs", COMPARED, COMPARED, COMPARED),
    "entries": Kept(
        "nothing: it is the journal; entries of events follow from the topics", VERIFIED, COMPARED, VERIFIED
    ),
    "gaps": Kept(
        "the journal: `gap.opened` without `gap.filled`",
        COMPARED,
        COMPARED,
        COMPARED,
    ),
    "idempotency": Kept(
        "the responses that were sent, signed by the service",
        Fate(
            "refused",
            "its signature, when the command is sent again",
            "at once",
            f"{_ANSWERS}::test_a_command_is_not_done_again",
        ),
        Fate(
            "refused",
            "its signature, when the command is sent",
            "at once",
            f"{_ANSWERS}::test_a_forged_answer_is_not_given",
        ),
        COMPARED,
    ),
    "inputs": Kept(
        "the ids of topics when they were first read; the names of the shards show which topics were read",
        COMPARED,
        Fate(
            "refused",
            "the partition is halted, because the topic is another",
            "ten seconds",
            f"{_TOPICS}::test_a_topic_created_again_while_it_is_read_is_noticed",
        ),
        COMPARED,
        {
            "topic_id": "the partition is halted within ten seconds, because the topic is another",
            "recorded_at": "the time of the first read is never used",
        },
    ),
    "quarantine": Kept(
        "the journal, and the bytes of the record, whose hash the journal has",
        COMPARED,
        COMPARED,
        COMPARED,
        {"id": "only the number in addresses changes", "signature": "every reader then refuses a replay"},
    ),
    "relay": Kept("the published entries, signed by the service", COMPARED, COMPARED, COMPARED),
    "shards": Kept(
        "the entries and the topics, signed by the service (the seal); a shard without entries is opened again, "
        "and its topic is read again, as duplicates",
        VERIFIED,
        VERIFIED,
        VERIFIED,
    ),
    "sources": Kept("`taken`: the last position and the version of each stream", COMPARED, COMPARED, COMPARED),
    "taken": Kept(
        "the records of the topics, signed by the service; the journal shows which positions are free",
        COMPARED,
        COMPARED,
        COMPARED,
    ),
    "verified": Kept(
        "the entries that were verified, signed by the service",
        Fate(
            "survived",
            "ignored: every entry is verified again",
            "a start",
            f"{_MARKS}::test_a_mark_is_relied_on_only_with_the_key_of_the_service",
        ),
        Fate(
            "survived",
            "ignored",
            "a start",
            f"{_MARKS}::test_a_mark_is_relied_on_only_with_the_key_of_the_service",
        ),
        Fate(
            "survived",
            "every entry is verified again",
            "a start",
            f"{_MARKS}::test_what_was_verified_survives_a_restart",
        ),
    ),
}
"""The tables that every schema has."""

_READ: Final = Kept(
    "how far the processes have read, signed by the service",
    Fate(
        "refused",
        "its signature; the process that reads the partition writes the row again",
        "a second",
        f"{_KEPT}::test_a_mark_that_was_moved_ahead_lets_nothing_out",
    ),
    Fate(
        "refused",
        "its signature: until the row is removed, nothing is delivered and no day is closed",
        "at once, and a comparison",
        f"{_KEPT}::test_a_mark_that_was_moved_ahead_lets_nothing_out",
    ),
    Fate(
        "survived",
        "the process that reads the partition writes the row again",
        "a second",
        f"{_KEPT}::test_a_mark_that_was_moved_ahead_lets_nothing_out",
    ),
)

_OWN: Final[Mapping[str, Kept]] = {
    "reporting.deliveries": Kept(
        "the reports that were delivered, signed by the service",
        COMPARED,
        COMPARED,
        Fate("survived", "the day is delivered again", "a second", f"{_KEPT}::test_what_is_gone_is_made_again"),
    ),
    "reporting.evidence_days": Kept(
        "the books at the seal and the earlier rows, signed by the service; an altered row is never continued",
        COMPARED,
        COMPARED,
        Fate(
            "survived",
            "the latest row is computed again; a comparison finds the missing number of an earlier row",
            "",
            f"{_KEPT}::test_a_day_of_evidence_that_is_gone_is_missed",
        ),
    ),
    "reporting.read_until": _READ,
    "table_inventory.read_until": _READ,
    "table_inventory.sealed_counts": Kept("the commitments in the journal", COMPARED, COMPARED, COMPARED),
    "wagering_accounts.patron_codes": Kept(
        "the access codes that were issued, signed by the service; an altered code opens nothing",
        COMPARED,
        COMPARED,
        Fate(
            "refused",
            "no code opens the account until a new one is issued",
            "at once",
            f"{_CODES}::test_a_code_that_is_gone_opens_nothing",
        ),
    ),
    "wagering_accounts.patron_keys": Kept(
        "nothing: keys of patrons, wrapped by the keys of the installation, and keyed digests of their identities",
        Fate(
            "refused",
            "it unwraps nothing: the patron's identity is not shown",
            "the next look",
            f"{_KEYS}::test_an_altered_key_opens_nothing",
        ),
        Fate("survived", "it opens nothing", test=f"{_KEYS}::test_an_altered_key_opens_nothing"),
        COMPARED,
    ),
    "wagering_accounts.filing_files": Kept(
        "nothing: filed files, encrypted, with keys wrapped by the installation's keys",
        Fate("refused", "it opens nothing: the file is not shown", "the next look", f"{_FILES}::{_FILE_TEST}"),
        Fate("survived", "no filing refers to it", test=f"{_FILES}::{_FILE_TEST}"),
        COMPARED,
    ),
    "suspicious_activity.sar_files": Kept(
        "nothing: suspicious activity reports, encrypted, with keys wrapped by the installation's keys",
        Fate("refused", "it opens nothing: the file is not shown", "the next look", f"{_SARS}::{_FILE_TEST}"),
        Fate("survived", "no report refers to it", test=f"{_SARS}::{_FILE_TEST}"),
        COMPARED,
    ),
    "progressive_meters.compared_hours": Kept(
        "movements and readings of the hours in which nothing has moved since", COMPARED, COMPARED, COMPARED
    ),
    "progressive_meters.compared_pools": Kept(
        "how far the hours of a pool were compared; `compared_hours` has the results",
        Fate(
            "survived",
            "the pool is compared again, or its hours are found",
            "15 s",
            "tests/integration/progressive_meters/test_altered_hours.py::test_marks_of_pools_are_made_again",
        ),
        Fate("survived", "the pool does not exist"),
        Fate(
            "survived",
            "the pool is compared again",
            "15 s",
            "tests/integration/progressive_meters/test_altered_hours.py::test_marks_of_pools_are_made_again",
        ),
    ),
}
"""The tables of single services that are neither projected nor copied."""


def every_table(manifests: Sequence[Manifest]) -> dict[str, Kept]:
    """Return the declaration of every table (its source, and the outcome of tampering), by `schema.table`."""
    found: dict[str, Kept] = {}
    for manifest in manifests:
        found |= {f"{manifest.schema}.{name}": kept for name, kept in _OF_JOURNAL.items()}
        found |= {f"{manifest.schema}.{name}": kept for name, kept in _projected(manifest)}
        found |= {f"{manifest.schema}.{name}": kept for name, kept in _copied(manifest)}
    return found | dict(_OWN)


def _projected(manifest: Manifest) -> Iterator[tuple[str, Kept]]:
    """Yield the tables that are derived from the journal or from topics, with their source."""
    of_journal = set(manifest.whole_projector.tables)
    for table in tables_of(manifest):
        topics = [keeper.topic for keeper in keepers_of(manifest) if table in keeper.keeps]
        sources = ["the journal"] if table in of_journal else []
        if topics:
            sources.append(f"the topic{'s' if len(topics) > 1 else ''} {', '.join(f'`{name}`' for name in topics)}")
        yield table.name, Kept(" and ".join(sources), COMPARED, COMPARED, COMPARED)


def _copied(manifest: Manifest) -> Iterator[tuple[str, Kept]]:
    """Yield the tables with copies of approved documents: an altered copy is refused on use, found by comparison."""
    test = f"{_COPIES}::test_nothing_is_settled_under_an_altered_copy"
    used = Fate("refused", "the signature of the copy, where it is used", "at once, and a comparison", test)
    for handler in manifest.read_model_handlers:
        for table in handler.copies:
            yield (
                table.name,
                Kept(f"the topic `{handler.reader.topic.name}`, signed by the service", used, used, used),
            )


def lines(manifests: Sequence[Manifest]) -> list[str]:
    """Return the documentation's Markdown table, as lines; a schema's tables with equal outcomes share a row."""
    rows = ["", "| table | follows from | altered | added | deleted |", "|---|---|---|---|---|"]
    rows += [_line(f"every schema: `{name}`", kept) for name, kept in sorted(_OF_JOURNAL.items())]
    together: dict[tuple[str, str], list[str]] = {}
    for name, kept in every_table(manifests).items():
        schema, _, table = name.partition(".")
        if table not in _OF_JOURNAL and name not in _OWN:
            together.setdefault((schema, _line("{}", kept)), []).append(table)
    for (schema, line), tables in sorted(together.items()):
        rows.append(line.replace("{}", f"`{schema}`: " + ", ".join(f"`{name}`" for name in sorted(tables)), 1))
    rows += [_line(f"`{name}`", kept) for name, kept in sorted(_OWN.items())]
    return [*rows, ""]


def _line(name: str, kept: Kept) -> str:
    unseen = "; ".join(f"but not `{column}`: {why}" for column, why in (kept.unseen or {}).items())
    altered = kept.altered.words() + (f"; {unseen}" if unseen else "")
    return f"| {name} | {kept.follows} | {altered} | {kept.added.words()} | {kept.deleted.words()} |"
