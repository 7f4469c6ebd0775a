"""The images of other projects: named once, pinned by digest, and refused while one is not."""

import re
from pathlib import Path

import pytest

from infra.images import main, read_images, resolve, without_digest

DIGEST = f"sha256:{'0123456789abcdef' * 4}"


@pytest.fixture
def copied(repository: Path, tmp_path: Path) -> Path:
    """A directory with the list alone."""
    (tmp_path / "infra").mkdir()
    text = (repository / "infra/images.yaml").read_text()
    (tmp_path / "infra/images.yaml").write_text(re.sub(r'digest: "sha256:[0-9a-f]{64}"', "digest: null", text))
    return tmp_path


def test_compose_and_dockerfile_use_the_list_alone(repository: Path) -> None:
    """Each image of another project is named by its variable, with the tag of the list as what it is without one."""
    listed = {(each.variable, each.image) for each in read_images(repository)}
    compose = (repository / "docker-compose.yml").read_text()
    dockerfile = (repository / "Dockerfile").read_text()
    used = set(re.findall(r"\$\{([A-Z]+_IMAGE):-([^}]+)\}", compose))
    assert listed == used | set(re.findall(r"^ARG ([A-Z]+_IMAGE)=(.+)$", dockerfile, flags=re.M))
    others = [line for line in re.findall(r"^ +image: (.+)$", compose, flags=re.M) if "_IMAGE:-" not in line]
    assert {"pitledger:${PITLEDGER_VERSION:-0.1.0}"} == set(others)
    assert {"${PYTHON_IMAGE}"} == set(re.findall(r"^FROM (\S+)", dockerfile, flags=re.M))


def test_an_image_without_a_digest_is_named_and_refused(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, the image, and the command that finds its digest."""
    assert 1 == main([], copied)
    assert "postgres:18" in (said := capsys.readouterr().err)
    assert "infra.images --resolve" in said


def test_what_the_registry_says_is_written_into_the_list(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every digest that is missing is asked for; afterwards the environment file pins each image."""
    asked: list[str] = []

    def ask(image: str) -> str:
        asked.append(image)
        return DIGEST

    resolve(copied, ask)

    assert [each.image for each in read_images(copied)] == asked
    assert [] == without_digest(copied)
    assert 0 == main([], copied)
    assert f"POSTGRES_IMAGE=postgres:18@{DIGEST}" in capsys.readouterr().out.splitlines()


def test_an_answer_that_is_no_digest_is_refused(copied: Path) -> None:
    """An error page is not written into the list."""
    before = (copied / "infra/images.yaml").read_text()
    with pytest.raises(ValueError, match="which is no digest"):
        resolve(copied, "<html>{}".format)
    assert before == (copied / "infra/images.yaml").read_text()
