"""The images of other projects: one list with tag and digest, and the environment file by which Compose has them.

`python -m infra.images` prints the environment file (`docker compose --env-file .env --env-file images.env up`), and
exits with 1 while an image has no digest. With `--resolve` it asks the registry for those that are missing first.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

LIST: Final = Path("infra/images.yaml")
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_UNRESOLVED: Final = "digest: null"


@dataclass(frozen=True, slots=True)
class Image:
    """An image of another project: the variable that pins it, its tag, and its digest where it is known."""

    variable: str
    image: str
    digest: str | None

    @property
    def reference(self) -> str:
        """Return what Docker is given: with the digest it fetches those bytes, whatever the tag says by then."""
        return self.image if self.digest is None else f"{self.image}@{self.digest}"


def read_images(repository: Path) -> list[Image]:
    """Return the images of the list. Raises: ValueError where a digest is none."""
    listed = yaml.safe_load((repository / LIST).read_text())
    images = [Image(variable, each["image"], each["digest"]) for variable, each in listed.items()]
    for image in images:
        if image.digest is not None and not _DIGEST.fullmatch(image.digest):
            raise ValueError(f"{LIST}: {image.variable}: {image.digest!r} is not sha256: and 64 hexadecimal digits")
    return images


def without_digest(repository: Path) -> list[str]:
    """Return the images of which the digest is missing."""
    return [each.image for each in read_images(repository) if each.digest is None]


def ask_registry(image: str) -> str:
    """Return the digest that the registry has for a tag. Raises: CalledProcessError, OSError without Docker."""
    command = ["docker", "buildx", "imagetools", "inspect", image, "--format", "{{.Manifest.Digest}}"]
    return subprocess.check_output(command, text=True).strip()  # noqa: S603 - an image of our own list


def resolve(repository: Path, ask: Callable[[str], str] = ask_registry) -> None:
    """Write the digests that are missing into the list. Raises: ValueError where the answer is no digest."""
    text = (repository / LIST).read_text()
    for image in read_images(repository):
        if image.digest is None:
            found = ask(image.image)
            if not _DIGEST.fullmatch(found):
                raise ValueError(f"{image.image}: the registry answered {found!r}, which is no digest")
            line = f'{image.variable}: {{image: "{image.image}", {_UNRESOLVED}}}'
            assert line in text, f"{LIST} is written as it was"
            text = text.replace(line, line.replace(_UNRESOLVED, f'digest: "{found}"'))
    (repository / LIST).write_text(text)


def main(words: Sequence[str] | None = None, repository: Path = Path(__file__).parents[1]) -> int:
    """Print the environment file, and say what is not pinned."""
    parser = argparse.ArgumentParser(prog="python -m infra.images", description=__doc__)
    parser.add_argument("--resolve", action="store_true", help="ask the registry for the digests that are missing")
    if parser.parse_args(words).resolve:
        resolve(repository)
    for image in read_images(repository):
        print(f"{image.variable}={image.reference}")  # noqa: T201 - the data of this command
    missing = without_digest(repository)
    if missing:
        print(f"no digest: {', '.join(missing)}; run: python -m infra.images --resolve", file=sys.stderr)  # noqa: T201
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
