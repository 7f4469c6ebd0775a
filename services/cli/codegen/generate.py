"""Write generated files, or check that they are up to date: `python -m services.cli.codegen [--check]`.

They are the contracts in schemas/, the parts about services in infra/, docs/ and pyproject.toml, docs/jurisdictions,
docs/duties.md, the documented readings of the regulations as data for the console, and the counts of hands that the
rules use.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from services.cli.codegen import contracts, releases
from services.cli.codegen import deployment as infra
from services.cli.codegen import segregation_matrix as duties
from services.cli.exits import ExitCode
from services.cli.output import message
from services.cli.services import load_all, roles_of_services
from services.console.felt import readings
from shared.jurisdictions import known_packs, pack
from shared.jurisdictions.document import page

ROOT: Final = Path(__file__).parents[3]
_JURISDICTIONS: Final = "docs/jurisdictions"
_OWN: Final = ("schemas/**/*.json", "schemas/**/*.yaml", f"{infra.OVERLAYS}/*/*", f"{_JURISDICTIONS}/*")
"""Patterns of completely generated files, which are removed when they are no longer generated."""


def texts(root: Path = ROOT) -> dict[str, str]:
    """Return the texts of all files that are generated, or have generated parts, by path."""
    manifests = load_all()
    pages = {f"{_JURISDICTIONS}/{name}.md": page(pack(name)) for name in known_packs()}
    pages[readings.PATH] = readings.packed(root)
    pages[duties.PATH] = duties.page(roles_of_services(manifests))
    return contracts.texts(manifests) | infra.texts(manifests, root) | pages


def drift(wanted: Mapping[str, str], root: Path = ROOT) -> list[str]:
    """Return the differences from what would be generated, by file."""
    found = [f"{path}: nothing writes it any more" for path in _left_over(wanted, root)]
    for path, text in wanted.items():
        if not (root / path).exists():
            found.append(f"{path}: missing")
        elif (root / path).read_text() != text:
            found.append(f"{path}: not as the code says")
    return sorted(found)


def write(wanted: Mapping[str, str], root: Path = ROOT) -> None:
    """Write every file, and remove those that are no longer generated."""
    for path in _left_over(wanted, root):
        (root / path).unlink()
        if not any((root / path).parent.iterdir()):
            (root / path).parent.rmdir()
    for path, text in wanted.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def _left_over(wanted: Mapping[str, str], root: Path) -> list[str]:
    return [path for own in _OWN for one in root.glob(own) if (path := one.relative_to(root).as_posix()) not in wanted]


def main(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 1 if a file is out of date.")
    ] = False,
    against: Annotated[
        str, typer.Option(help="Git revision with which the message schemas must stay compatible.")
    ] = "HEAD",
) -> None:
    """Write the generated files, or check that they are up to date and compatible with every earlier release."""
    wanted = texts()
    if not check:
        write(wanted)
        return
    drifted, incompatible = drift(wanted), contracts.broken(wanted, against, ROOT)
    known = releases.releases(ROOT)
    of_releases = [*releases.altered(ROOT, known), *releases.broken(wanted, known), *contracts.retagged(known, ROOT)]
    for line in drifted:
        message(f"{line}; run: make generated")
    for line in of_releases:
        message(line)
    for line in incompatible or ():
        message(f"{line}; breaks whoever goes by {against}: add a field or an event type, and keep the old one")
    if incompatible is None:
        message(f"compatibility is not checked: no git, or no revision {against}")
    if drifted or incompatible or of_releases:
        sys.exit(ExitCode.NOT_AS_IT_SHOULD_BE)
