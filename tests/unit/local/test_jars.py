"""Apache Kafka's jars: none runs that is not the listed one."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import jgo.maven
import pytest

from shared.local import EmbeddedPackageMissingError, LocalStackError, _jars

WANTED = "org.apache.kafka:kafka_2.13:4.1.0"
CONTENT = b"the broker"


@pytest.fixture
def fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was fetched from the repository, which has one jar; the cache is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(_jars, "_pinned", lambda: {WANTED: hashlib.sha256(CONTENT).hexdigest()})
    return repository(monkeypatch, lambda: CONTENT)


def repository(monkeypatch: pytest.MonkeyPatch, content: Callable[[], bytes]) -> list[str]:
    """A repository of Maven's that answers every request with this."""
    fetched: list[str] = []

    def context(*, repo_cache: Path, timeout: float) -> SimpleNamespace:
        def resolve() -> Path:
            jar = repo_cache / "fetched.jar"
            jar.write_bytes(content())
            return jar

        def dependency(coordinates: str) -> SimpleNamespace:
            fetched.append(coordinates)
            return SimpleNamespace(artifact=SimpleNamespace(resolve=resolve))

        return SimpleNamespace(create_dependency=dependency)

    monkeypatch.setattr(jgo.maven, "MavenContext", context)
    return fetched


def test_they_are_fetched_once(fetched: list[str]) -> None:
    """The second time they are in the cache."""
    assert _jars.jars() == _jars.jars()
    assert [WANTED] == fetched
    assert CONTENT == _jars.jars()[0].read_bytes()


def test_one_that_was_altered_in_the_cache_is_fetched_again(fetched: list[str]) -> None:
    """Whoever may write into the cache cannot have their own code run."""
    jar = _jars.jars()[0]
    jar.write_bytes(b"something else")
    assert CONTENT == _jars.jars()[0].read_bytes()
    assert [WANTED, WANTED] == fetched


def test_one_that_was_altered_on_its_way_is_refused(
    fetched: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says what came and what is listed, and nothing of it stays."""
    repository(monkeypatch, lambda: b"something else")
    with pytest.raises(LocalStackError, match=r"kafka_2\.13:4\.1\.0 came with SHA-256 .* is listed: it was altered"):
        _jars.jars()
    assert ["lock"] == [path.name for path in (tmp_path / "pitledger" / "kafka").iterdir()]


def test_without_a_network_the_ways_out_are_named(fetched: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository that does not answer is no bug: connect once, or name a running Kafka."""

    def unreachable() -> bytes:
        raise OSError("network is unreachable")

    repository(monkeypatch, unreachable)
    with pytest.raises(EmbeddedPackageMissingError, match="connect to the network once, or set KAFKA_BOOTSTRAP"):
        _jars.jars()


def test_the_list_has_the_broker_and_a_hash_for_each() -> None:
    """What is pinned is what is wanted, and all that it needs."""
    pinned = _jars._pinned()
    assert set(_jars.WANTED) <= pinned.keys()
    assert {64} == {len(digest) for digest in pinned.values()}
