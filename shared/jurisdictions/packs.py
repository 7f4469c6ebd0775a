"""Read the packs in a folder: each pack is a subfolder named by its id, with a `pack.yaml`.

The information returns of a pack are in `returns.yaml` in the same folder: they are long and change every year.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources.abc import Traversable
from typing import Annotated, Final, Self

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from shared.jurisdictions.depending import FORMS
from shared.jurisdictions.model import GamingPack, Pack, ReportingPack
from shared.rules.packaged import parsed

FILE: Final = "pack.yaml"
RETURNS_FILE: Final = "returns.yaml"

_pack: Final[TypeAdapter[ReportingPack | GamingPack]] = TypeAdapter(
    Annotated[ReportingPack | GamingPack, Field(discriminator="kind")]
)


class PackWrong(ValueError):
    """A pack, or a set of packs, is invalid; `problems` lists all reasons."""

    def __init__(self, name: str, problems: list[str]) -> None:
        super().__init__("\n".join((f"{name}:", *(f"- {problem}" for problem in problems))))
        self.problems = problems


def load_pack(folder: Traversable) -> Pack:
    """Return the pack in a folder. Raises: PackWrong, with all of its problems."""
    name = f"{folder.name}/{FILE}"
    try:
        document = parsed((folder / FILE).read_text(encoding="utf-8"))
        if isinstance(document, dict) and (folder / RETURNS_FILE).is_file():
            document = document | {"returns": parsed((folder / RETURNS_FILE).read_text(encoding="utf-8"))}
        found = _pack.validate_python(document)
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise PackWrong(name, [f"this is no YAML: {error}"]) from None
    except ValidationError as error:
        raise PackWrong(name, [_problem(one["loc"], one["msg"]) for one in error.errors()]) from None
    if found.id != folder.name:
        raise PackWrong(name, [f"id: {found.id!r} must be the name of its folder, {folder.name!r}"])
    return found


def _problem(place: tuple[int | str, ...], message: str) -> str:
    # The first part of a place is the kind of the pack, which is no part of the document.
    # The form of a value that may have several forms is no part of it either.
    where = ".".join(str(part) for part in place[1:] if part not in FORMS) or "the document"
    return f"{where}: {message.removeprefix('Value error, ')}"


@dataclass(frozen=True)
class Packs:
    """The packs by id. No two packs cover the same regulation."""

    by_id: Mapping[str, Pack]

    @classmethod
    def below(cls, *folders: Traversable) -> Self:
        """Return the packs in the subfolders of these folders. Raises: PackWrong for the first invalid one."""
        found: dict[str, Pack] = {}
        for folder in folders:
            for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
                if (entry / FILE).is_file():
                    if entry.name in found:
                        raise PackWrong(f"{entry.name}/{FILE}", ["there is a pack of this id already: give it another"])
                    found[entry.name] = load_pack(entry)
        return cls(found)

    def __post_init__(self) -> None:
        covering: dict[str, list[str]] = {}
        for found in self._gaming:
            for regulation in found.regulations:
                covering.setdefault(regulation, []).append(found.id)
        problems = [f"{name} is covered by {' and '.join(ids)}" for name, ids in covering.items() if len(ids) > 1]
        if problems:
            raise PackWrong("the packs together", problems)

    @property
    def _gaming(self) -> list[GamingPack]:
        return [found for found in self.by_id.values() if isinstance(found, GamingPack)]

    @cached_property
    def _by_regulation(self) -> Mapping[str, GamingPack]:
        return {regulation: found for found in self._gaming for regulation in found.regulations}

    def pack(self, name: str) -> Pack:
        """Return a pack by its id. Raises: LookupError."""
        if name not in self.by_id:
            raise LookupError(f"there is no pack {name!r}; there are {', '.join(self.by_id)}")
        return self.by_id[name]

    def gaming_pack(self, name: str) -> GamingPack:
        """Return the pack of a jurisdiction that licenses table games, by its id. Raises: LookupError."""
        found = self.pack(name)
        if not isinstance(found, GamingPack):
            raise LookupError(f"{name} licenses no table games: name the pack of the jurisdiction that does")
        return found

    def pack_of_regulation(self, regulation: str) -> GamingPack:
        """Return the pack that covers a regulation. Raises: LookupError."""
        if regulation not in self._by_regulation:
            raise LookupError(f"no pack covers {regulation}: add it to 'regulations' of its jurisdiction")
        return self._by_regulation[regulation]
