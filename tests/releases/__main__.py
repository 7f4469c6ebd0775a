"""Write what this version promises to read for ever: `releases/<version>/`.

    python -m tests.releases            the candidate of the version that pyproject.toml names, written again
    python -m tests.releases --final    the same, marked as released: nothing writes it again

`--keep-database` leaves the archived database as it is; it takes a minute to write. The exit code is 1 where the
version is released already: change the version first.
"""

import argparse
import json
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from services.cli.codegen.generate import ROOT
from services.cli.codegen.releases import (
    CANDIDATE,
    FOLDER,
    MANIFEST,
    RELEASED,
    SCHEMAS,
    Release,
    digests,
    fingerprint,
    releases,
    revisions_of,
)
from shared.contracts.schemas import as_json, json_schemas
from tests.releases.entries import as_text, lines

ENTRIES: Final = "entries.jsonl"
DATABASE: Final = "database.tar.xz"


def main(words: Sequence[str] | None = None) -> int:
    """Write the archive of this version."""
    parser = argparse.ArgumentParser(prog="python -m tests.releases", description=str(__doc__).split("\n\n")[0])
    parser.add_argument("--final", action="store_true", help="mark it as released")
    parser.add_argument("--keep-database", action="store_true", help="leave the archived database as it is")
    options = parser.parse_args(words)
    try:
        folder = write(ROOT, version_of(ROOT), final=options.final, database=not options.keep_database)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{folder.relative_to(ROOT)}: {sum(path.is_file() for path in folder.rglob('*'))} files\n")
    return 0


def version_of(root: Path) -> str:
    """Return the version of the project."""
    return str(tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"])


def write(root: Path, name: str, *, final: bool, database: bool) -> Path:
    """Write the archive of a version. Raises: ValueError where it is released, or is not the latest one."""
    folder, known = root / FOLDER / name, releases(root)
    earlier = [release for release in known if release.name != name]
    if any(release.name == name and release.is_released for release in known):
        raise ValueError(f"{name} is released, and never changes: change the version in pyproject.toml first")
    if earlier and [int(part) for part in name.split(".")] < [int(part) for part in earlier[-1].name.split(".")]:
        raise ValueError(f"{earlier[-1].name} came after {name}: change the version in pyproject.toml")
    if earlier and not earlier[-1].is_released:
        raise ValueError(f"{earlier[-1].name} is a candidate still: mark it as released, or remove it, first")
    shutil.rmtree(folder / SCHEMAS, ignore_errors=True)
    (folder / SCHEMAS).mkdir(parents=True)
    changed = _changed_schemas(earlier)
    for type_, text in changed.items():
        (folder / SCHEMAS / f"{type_}.json").write_text(text)
    (folder / ENTRIES).write_text(as_text(line for line in lines() if line["type"] in changed))
    if database:
        from tests.releases.database import pack
        from tests.releases.day import play

        with tempfile.TemporaryDirectory(prefix="pitledger-archive-") as reports:
            (folder / DATABASE).write_bytes(pack(play(Path(reports))))
    files = digests(folder, ["**/*"])
    files.pop(MANIFEST, None)
    manifest = {
        "release": name,
        "status": RELEASED if final else CANDIDATE,
        "after": fingerprint(earlier[-1]) if earlier else None,
        "files": files,
        "revisions": revisions_of(root),
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n")
    return folder


_schemas: Final = cache(json_schemas)


def _changed_schemas(earlier: Sequence[Release]) -> dict[str, str]:
    """Return the JSON Schemas, by type, that are not as the latest of the earlier releases has them."""
    known = {type_: schema for release in earlier for type_, schema in release.schemas()}
    return {type_: as_json(schema) for type_, schema in _schemas().items() if known.get(type_) != schema}


if __name__ == "__main__":
    sys.exit(main())
