"""`pitledger topics`: create and update Kafka topics, set permissions, adopt topics."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any

import typer
from confluent_kafka import KafkaException
from sqlalchemy.ext.asyncio import AsyncEngine

from infra.acls import apply as apply_acls
from infra.acls import principal_of
from infra.acls import wanted as wanted_acls
from infra.topics import AddressError, Change, TopicRefusedError, TopicsError
from infra.topics import apply as apply_topics
from services.cli.database import journal_of, with_engine
from services.cli.environment import settings
from services.cli.exits import CheckFailed, NotFound, UsageWrong
from services.cli.output import AsJson, message, names, numbers, print_json, show, table, words
from services.cli.partitions import PartitionsOption, numbers_of_partitions
from services.cli.services import NAMES, load, load_all, service_option
from shared.journal.ledger import Ledger
from shared.journal.signed_note import CheckpointError
from shared.journal.topic_identity import TopicIdentity
from shared.journal.topic_identity import adopt as adopt_log
from shared.runtime.clock import utc_now
from shared.runtime.errors import FatalServiceError
from shared.runtime.kafka import TopicLog, topic_log
from shared.runtime.service.signing_keys import message_signer, shard_seals

app = typer.Typer()


@app.command()
def apply(
    partitions: PartitionsOption = None,
    replication_factor: Annotated[
        int, typer.Option(min=1, max=9, help="Replication factor of newly created topics.")
    ] = 1,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the changes without making them.")] = False,
    as_json: AsJson = False,
) -> None:
    """Create missing topics, and update existing ones.

    Services do not create topics themselves. A topic with more partitions than requested keeps them. If adding
    partitions would break the order of messages, the change is refused with exit code 1.

    Example: pitledger topics apply --partitions table.events=24 --replication-factor 3
    """
    wanted, found = numbers_of_partitions(partitions or ()), settings()
    with explained_topics():
        changes = apply_topics(
            found.kafka_bootstrap_servers,
            partitions=wanted,
            replication_factor=replication_factor,
            dry_run=dry_run,
            client=found.kafka_python(),
        )
    if as_json:
        for change in changes:
            print_json(_document(change, dry_run=dry_run))
        return
    rows = []
    for change in changes:
        remarks = [*(f"{name}={value}" for name, value in sorted(change.config.items())), *change.remarks]
        rows.append([change.topic.name, change.outcome, str(change.topic.partitions), ", ".join(remarks)])
    show(table(names("Topic", "Outcome") + numbers("Partitions") + words("Remarks"), rows))
    if dry_run:
        message("a dry run: nothing was changed")


@app.command()
def acls(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the changes without making them.")] = False,
    as_json: AsJson = False,
) -> None:
    """Set each service's permissions on the Kafka cluster to those that its manifest needs.

    A service is the principal `User:<its role>`, such as User:round_settlement. A service's other permissions are
    removed; other principals are not touched. Needs an administrator's login, and brokers with an authorizer.

    Example: pitledger topics acls --dry-run
    """
    found, manifests = settings(), load_all()
    with explained_topics():
        added, removed = apply_acls(
            found.kafka_bootstrap_servers,
            wanted_acls(manifests, group_prefix=found.kafka_group_prefix),
            principals=[principal_of(manifest) for manifest in manifests],
            client=found.kafka_python(),
            dry_run=dry_run,
        )
    changes = [("added", grant) for grant in added] + [("removed", grant) for grant in removed]
    if as_json:
        for outcome, grant in changes:
            print_json({"outcome": outcome, **asdict(grant), "dry_run": dry_run})
        return
    rows = [[grant.principal, grant.operation, grant.resource, grant.name, outcome] for outcome, grant in changes]
    show(table(names("Principal", "May", "On", "Name", "Outcome"), rows))
    if dry_run:
        message("a dry run: nothing was changed")


@app.command()
def adopt(
    topic: Annotated[str, typer.Argument(help="Name of the topic.")],
    services: Annotated[list[str] | None, service_option("Only this service; may be repeated.")] = None,
    as_json: AsJson = False,
) -> None:
    """Accept a topic's current content, after services have halted on it.

    A service stops reading a topic that was deleted and created again, that lost records, or whose records were deleted
    before they were read. Restore the records if possible. Otherwise stop the services, adopt the topic, and start
    them. A re-created topic is then read from its first record, without recording any event twice. A topic that lost
    its first records is read from the first remaining record, and the missing events stay an open gap.
    PITLEDGER_CHECKPOINT_KEY_FILE must be the service's key, which signs the new position. If each service has its own
    key, adopt the topic for one service at a time.

    Example: pitledger topics adopt table.events
    """
    readers = [name for name in services or NAMES if topic in {read.name for read in load(name).reads}]
    if not readers:
        raise UsageWrong(f"{topic!r}: none of the services reads a topic of that name")
    try:
        found = topic_log(settings(), topic)
    except (FatalServiceError, KafkaException) as error:
        raise NotFound(str(error)) from error
    adopted = {name: _adopt(name, TopicIdentity(topic, found.cluster_id, found.topic_id), found) for name in readers}
    if as_json:
        for name, known in adopted.items():
            print_json({"service": name, **asdict(known), "log": known.log})
        return
    rows = [[name, known.topic, known.log, known.topic_id] for name, known in adopted.items()]
    show(table(names("Service", "Topic", "Log", "Topic id"), rows))


def _adopt(service: str, there: TopicIdentity, found: TopicLog) -> TopicIdentity:
    try:
        seals = shard_seals(settings(), service, message_signer(settings(), service))
    except (FatalServiceError, CheckpointError, OSError) as error:
        raise UsageWrong(str(error)) from error

    async def work(engine: AsyncEngine) -> TopicIdentity:
        async with engine.begin() as connection:
            return await adopt_log(connection, Ledger(journal_of(service), seals), there, found.bounds, utc_now())

    return with_engine(service, work)


@contextmanager
def explained_topics() -> Iterator[None]:
    """Convert errors about topics to command errors."""
    try:
        yield
    except TopicRefusedError as error:
        raise CheckFailed(str(error)) from error
    except AddressError as error:
        raise UsageWrong(f"KAFKA_BOOTSTRAP_SERVERS: {error}") from error
    except TopicsError as error:
        raise NotFound(str(error)) from error
    except ValueError as error:
        raise UsageWrong(f"--partitions: {error}") from error


def _document(change: Change, *, dry_run: bool) -> dict[str, Any]:
    return {
        "topic": change.topic.name,
        "outcome": change.outcome,
        "partitions": change.topic.partitions,
        "config": dict(change.config),
        "remarks": list(change.remarks),
        "dry_run": dry_run,
    }
