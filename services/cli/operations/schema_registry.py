"""A client for schema registries with Confluent's API: compare and publish our schemas."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Final, Literal
from urllib.parse import quote

import httpx

from services.cli.exits import CheckFailed, NotFound, UsageWrong
from shared.contracts import catalog
from shared.contracts.facts import KINDS
from shared.contracts.schemas import DIALECT, DOCUMENTS
from shared.contracts.topics import TOPICS

COMPATIBILITIES: Final = (
    "BACKWARD_TRANSITIVE",
    "BACKWARD",
    "FORWARD",
    "FORWARD_TRANSITIVE",
    "FULL",
    "FULL_TRANSITIVE",
    "NONE",
)
_JSON: Final = "application/vnd.schemaregistry.v1+json"
_SECONDS_MAX: Final = 60.0
assert catalog.MODULES, "all kinds are declared"


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject to publish: its schema, and the referenced subjects by the names that the schema uses for them."""

    name: str
    schema: Mapping[str, Any]
    references: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Change:
    """A change to a subject, made or planned. `version` is its new version; None for a new subject in a dry run."""

    subject: str
    schema: Literal["unchanged", "registered"]
    version: int | None
    compatibility: Literal["unchanged", "set"]


def subjects(prefix: str) -> list[Subject]:
    """Return this release's subjects: one per message kind or document, and one per topic, referring to its kinds."""
    names = sorted({*(kind.type for kind in KINDS), *DOCUMENTS})
    found = [Subject(f"{prefix}{name}", _schema(name)) for name in names]
    for topic in TOPICS:
        of = {f"urn:pitledger:schema:{kind.type}": f"{prefix}{kind.type}" for kind in KINDS.on(topic)}
        union = {
            "$schema": DIALECT,
            "$id": f"urn:pitledger:topic:{topic.name}",
            "title": topic.title,
            "description": topic.description,
            "oneOf": [{"$ref": name} for name in of],
        }
        found.append(Subject(f"{topic.name}-value", union, of))
    return found


def _schema(name: str) -> Mapping[str, Any]:
    text = files("schemas").joinpath("json", f"{name}.json").read_text(encoding="utf-8")
    schema: Mapping[str, Any] = json.loads(text)
    return schema


class Registry:
    """A client of the schema registry at a URL; `login` is a name and a password. Methods raise command errors."""

    def __init__(self, url: str, login: tuple[str, str] | None = None) -> None:
        if not url.startswith(("http://", "https://")):
            raise UsageWrong(f"--registry {url!r}: a URL is wanted, such as http://127.0.0.1:8081")
        self._url = url
        self._client = httpx.Client(
            base_url=url.rstrip("/"), auth=login, timeout=_SECONDS_MAX, headers={"Accept": f"{_JSON}, application/json"}
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def publish(self, wanted: Sequence[Subject], compatibility: str, *, dry_run: bool = False) -> Iterator[Change]:
        """Publish subjects in order, and yield each change; in a dry run, only yield the planned changes.

        Raises: CheckFailed if the registry refuses a schema, NotFound if it does not answer.
        """
        versions: dict[str, int | None] = {}
        for subject in wanted:
            references = [
                {"name": name, "subject": of, "version": versions[of]} for name, of in subject.references.items()
            ]
            asked = {"schemaType": "JSON", "schema": json.dumps(subject.schema), "references": references}
            known = None not in (reference["version"] for reference in references)
            version = self._version(subject.name, asked) if known else None
            registered = version is None
            is_set = self._compatibility(subject.name) != compatibility
            if not dry_run:
                named = quote(subject.name, safe="")
                # Set first, so that the new schema is checked at this level; some registries need the subject first.
                was_set = is_set and self._set(named, compatibility, absent=True)
                if registered:
                    self._answer("POST", f"/subjects/{named}/versions", asked)
                    version = self._version(subject.name, asked)
                if is_set and not was_set:
                    self._set(named, compatibility)
            versions[subject.name] = version
            yield Change(
                subject.name, "registered" if registered else "unchanged", version, "set" if is_set else "unchanged"
            )

    def _version(self, subject: str, asked: Mapping[str, Any]) -> int | None:
        """Return the version of a subject with this schema, or None."""
        answer = self._answer("POST", f"/subjects/{quote(subject, safe='')}", asked, absent=True)
        return None if answer is None else int(answer["version"])

    def _compatibility(self, subject: str) -> str | None:
        """Return the compatibility configured for a subject; None if it uses the registry's default."""
        answer = self._answer("GET", f"/config/{quote(subject, safe='')}", absent=True)
        return None if answer is None else answer.get("compatibilityLevel")

    def _set(self, subject: str, compatibility: str, *, absent: bool = False) -> bool:
        body = {"compatibility": compatibility}
        return self._answer("PUT", f"/config/{subject}", body, absent=absent) is not None

    def _answer(self, method: str, path: str, body: Any = None, *, absent: bool = False) -> Any:
        """Return the registry's JSON answer. If `absent` is true, a 404 returns None."""
        try:
            content = None if body is None else json.dumps(body)
            headers = {} if body is None else {"Content-Type": _JSON}
            answer = self._client.request(method, path, content=content, headers=headers)
        except httpx.HTTPError as error:
            raise NotFound(f"{self._url}: {error}; check --registry and that the registry runs") from error
        if absent and answer.status_code == httpx.codes.NOT_FOUND:
            return None
        if answer.is_success:
            return answer.json()
        said = f"{self._url}: {method} {path}: {answer.status_code}: {_why(answer)}"
        if answer.status_code in (httpx.codes.CONFLICT, httpx.codes.UNPROCESSABLE_ENTITY):
            raise CheckFailed(f"{said}; nothing was published after it")
        raise NotFound(said)


def _why(answer: httpx.Response) -> str:
    """Return the registry's error message."""
    try:
        document = answer.json()
    except ValueError:
        return answer.text[:200]
    return str(document.get("message", document))[:1000] if isinstance(document, dict) else str(document)[:200]
