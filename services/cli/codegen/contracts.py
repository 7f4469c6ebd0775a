"""Generate the contracts in schemas/ (messages and channels), and the services' OpenAPI documents."""

import json
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from services.cli.codegen.releases import FOLDER, MANIFEST, Release
from shared.contracts.compatibility import breaking_changes
from shared.contracts.schemas import files
from shared.runtime.database import Pools
from shared.runtime.http.access import Nobody
from shared.runtime.process.run import application, context_of
from shared.runtime.service.manifest import Manifest
from shared.runtime.settings import Settings


def texts(manifests: Sequence[Manifest]) -> dict[str, str]:
    """Return the texts of all files below schemas/, by path."""
    return {f"schemas/{name}": text for name, text in files(readers(manifests)).items()}


def readers(manifests: Sequence[Manifest]) -> Mapping[str, Sequence[str]]:
    """Return the names of the services that read a topic, by the topic's name."""
    found = defaultdict[str, list[str]](list)
    for manifest in manifests:
        for topic in dict.fromkeys(manifest.reads):
            found[topic.name].append(manifest.name)
    return found


def openapi(manifest: Manifest) -> dict[str, Any]:
    """Return the OpenAPI document of a service."""
    settings = Settings()
    # The routes are only described: nothing ever connects.
    context = context_of(manifest, settings, Pools.of(settings, manifest.schema))
    return application(manifest, context, identities=Nobody()).openapi()


def broken(wanted: Mapping[str, str], revision: str, repository: Path) -> list[str] | None:
    """Return the incompatible changes to messages since a git revision; None if the revision does not exist."""
    paths = _git(repository, "ls-tree", "-r", "--name-only", revision, "schemas/json")
    if paths is None:
        return None
    found: list[str] = []
    for path in paths.splitlines():
        old = _git(repository, "show", f"{revision}:{path}")
        assert old is not None, f"git lists {path} and does not show it"
        if path not in wanted:
            found.append(f"{path}: removed")
            continue
        found += [f"{path}: {change}" for change in breaking_changes(json.loads(old), json.loads(wanted[path]))]
    return found


def retagged(known: Sequence[Release], repository: Path) -> list[str]:
    """Return a message for each release with a git tag that is not marked as released or differs from the tag."""
    found = []
    for release in known:
        path = f"{FOLDER}/{release.name}/{MANIFEST}"
        tagged = _git(repository, "show", f"v{release.name}:{path}")
        if tagged is not None and (not release.is_released or tagged != (release.folder / MANIFEST).read_text()):
            found.append(f"{path}: not as tag v{release.name} has it; put it back, and go on as another version")
    return found


def _git(repository: Path, *words: str) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    run = subprocess.run([git, "-C", str(repository), *words], capture_output=True, text=True, check=False)  # noqa: S603
    return run.stdout if run.returncode == 0 else None
