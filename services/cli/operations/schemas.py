"""`pitledger schemas`: publish the JSON Schemas of all messages to a schema registry."""

import os
from dataclasses import asdict
from typing import Annotated

import typer

from services.cli.environment import REGISTRY_PASSWORD
from services.cli.exits import UsageWrong
from services.cli.operations.schema_registry import COMPATIBILITIES, Registry, subjects
from services.cli.output import AsJson, message, names, numbers, print_json, show, table

app = typer.Typer()


@app.callback()
def schemas() -> None:
    """Publish the JSON Schemas of all messages to a schema registry."""


@app.command()
def publish(
    registry: Annotated[str, typer.Option(metavar="URL", help="URL of the schema registry (Confluent API).")],
    prefix: Annotated[str, typer.Option(help="Prefix of the subject names.")] = "pitledger.",
    compatibility: Annotated[
        str, typer.Option(metavar="LEVEL", help="Compatibility level to set for each subject.")
    ] = COMPATIBILITIES[0],
    user: Annotated[
        str | None, typer.Option(help=f"User name at the registry; the password is read from {REGISTRY_PASSWORD}.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the changes without making them.")] = False,
    as_json: AsJson = False,
) -> None:
    """Publish the schemas of this release to a registry with Confluent's API.

    Each kind of message is a subject. Each topic is a subject, too, TOPIC-value, which refers to the topic's kinds.
    Registered schemas are not changed. Exit code 1 if the registry refuses a schema.

    Example: pitledger schemas publish --registry http://127.0.0.1:8081 --dry-run
    """
    if compatibility not in COMPATIBILITIES:
        raise UsageWrong(f"--compatibility {compatibility!r}: one of {', '.join(COMPATIBILITIES)}")
    there = Registry(registry, None if user is None else (user, os.environ.get(REGISTRY_PASSWORD, "")))
    try:
        changes = []
        for change in there.publish(subjects(prefix), compatibility, dry_run=dry_run):
            changes.append(change)
            if as_json:
                print_json({**asdict(change), "dry_run": dry_run})
    finally:
        there.close()
    if as_json:
        return
    changed = [one for one in changes if (one.schema, one.compatibility) != ("unchanged", "unchanged")]
    if changed:
        rows = [[one.subject, one.schema, one.compatibility, str(one.version or "")] for one in changed]
        show(table(names("Subject", "Schema", "Compatibility") + numbers("Version"), rows))
    message(f"{len(changed)} of {len(changes)} subjects {'would change' if dry_run else 'changed'}")
