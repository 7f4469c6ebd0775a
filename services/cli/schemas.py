"""Writes the contracts into schemas/, or checks that they are there: `python -m services.cli.schemas [--check]`."""

import json
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from services.cli.exits import ExitCode
from services.cli.output import message
from services.cli.services import load_all
from shared.contracts.compatibility import breaking_changes
from shared.contracts.schemas import as_json, files
from shared.runtime.database import create_engine
from shared.runtime.service.manifest import Manifest
from shared.runtime.service.run import application, context_of
from shared.runtime.settings import Settings

ROOT = Path(__file__).parents[2]
DIRECTORY = ROOT / "schemas"

_WRITTEN = (".json", ".yaml")
"""The endings of the files that are written; whatever else is there stays."""


def documents() -> dict[str, str]:
    """Return the texts of all files below schemas/, by path: messages, channels, and the services' HTTP interfaces."""
    manifests = load_all()
    interfaces = {manifest.name: openapi(manifest) for manifest in manifests}
    return files(readers(manifests)) | {
        f"openapi/{name}.json": as_json(document) for name, document in interfaces.items() if document["paths"]
    }


def readers(manifests: Sequence[Manifest]) -> Mapping[str, Sequence[str]]:
    """Return the names of the services that read a topic, by the topic's name."""
    found = defaultdict[str, list[str]](list)
    for manifest in manifests:
        for topic in dict.fromkeys(manifest.reads):
            found[topic.name].append(manifest.name)
    return found


def openapi(manifest: Manifest) -> dict[str, Any]:
    """Return the OpenAPI document of a service's HTTP interface."""
    settings = Settings()
    # The routes are only described: the engine never connects.
    engine = create_engine(settings.database_url.get_secret_value(), role=manifest.schema)
    return application(manifest, context_of(manifest, settings, engine)).openapi()


def drift(directory: Path, wanted: Mapping[str, str]) -> list[str]:
    """Return what in a directory is not as the wanted documents are, file by file."""
    there = {
        path.relative_to(directory).as_posix(): path.read_text()
        for path in directory.rglob("*")
        if path.suffix in _WRITTEN
    }
    found = [f"{name}: missing" for name in wanted.keys() - there.keys()]
    found += [f"{name}: nothing writes it any more" for name in there.keys() - wanted.keys()]
    found += [f"{name}: not as the models are" for name in wanted.keys() & there.keys() if wanted[name] != there[name]]
    return sorted(found)


def broken(revision: str, wanted: Mapping[str, str], repository: Path = ROOT) -> list[str] | None:
    """Return the incompatible changes of messages since a revision; None where there is no such revision."""
    paths = _git(repository, "ls-tree", "-r", "--name-only", revision, "schemas/json")
    if paths is None:
        return None
    found: list[str] = []
    for path in paths.splitlines():
        name = path.removeprefix("schemas/")
        old = _git(repository, "show", f"{revision}:{path}")
        assert old is not None, f"git lists {path} and does not show it"
        if name not in wanted:
            found.append(f"{name}: removed")
            continue
        found += [f"{name}: {change}" for change in breaking_changes(json.loads(old), json.loads(wanted[name]))]
    return found


def _git(repository: Path, *words: str) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    run = subprocess.run([git, "-C", str(repository), *words], capture_output=True, text=True, check=False)  # noqa: S603
    return run.stdout if run.returncode == 0 else None


def write(directory: Path, wanted: Mapping[str, str]) -> None:
    """Write every file, and remove those that nothing writes any more."""
    for path in [path for path in directory.rglob("*") if path.suffix in _WRITTEN]:
        if path.relative_to(directory).as_posix() not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text)


def main(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 where a file is not as it is.")] = False,
    against: Annotated[str, typer.Option(help="The revision whose messages must stay valid.")] = "HEAD",
) -> None:
    """Write the contracts into schemas/, or check them."""
    wanted = documents()
    if not check:
        write(DIRECTORY, wanted)
        return
    drifted, incompatible = drift(DIRECTORY, wanted), broken(against, wanted)
    for line in drifted:
        message(f"schemas/{line}; run: make generated")
    for line in incompatible or ():
        message(f"schemas/{line}; breaks whoever goes by {against}: add a field or an event type beside the old one")
    if incompatible is None:
        message(f"compatibility is not checked: no git, or no revision {against}")
    if drifted or incompatible:
        sys.exit(ExitCode.NOT_AS_IT_SHOULD_BE)


if __name__ == "__main__":
    typer.run(main)
