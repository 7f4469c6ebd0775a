"""Generate the parts of infra/, docs/ and pyproject.toml that list the services, from their manifests.

Whole files are written in infra/kubernetes/services; elsewhere the lines between the comments `generated: <name>` and
`end of generated: <name>`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from pathlib import Path
from typing import Final

from sqlalchemy import Table

from infra.acls import wanted as acls
from services.cli.books import tables
from services.cli.operations.keys import WRAPPING_KEYS
from services.cli.services import roles_of_services, url_variable
from shared.contracts.topics import Topic
from shared.runtime.extras import EXTRAS
from shared.runtime.service.manifest import Manifest
from shared.runtime.settings import Settings

_GROUP_PREFIX: Final = str(Settings.model_fields["kafka_group_prefix"].default)

OVERLAYS: Final = "infra/kubernetes/services"

ACLS: Final = "infra/kafka/acls.yaml"

Lines = Callable[[Sequence[Manifest]], list[str]]


def texts(manifests: Sequence[Manifest], root: Path) -> dict[str, str]:
    """Return the texts of all files that name the services, by path."""
    found = {f"{OVERLAYS}/{one.name}/kustomization.yaml": _overlay(one) for one in manifests}
    found[ACLS] = _acls(manifests)
    for path, parts in PARTS.items():
        text = (root / path).read_text()
        for name, lines in parts.items():
            text = _replaced(text, name, lines(manifests), path)
        found[path] = text
    return found


def _replaced(text: str, name: str, lines: Sequence[str], path: str) -> str:
    """Return the text with the lines between the two comments for `name` replaced by `lines`, indented alike."""
    pattern = re.compile(
        rf"^(?P<indent> *)(?P<first>\S+ generated: {name}\b.*\n)(?:.*\n)*?(?P<last> *\S+ end of generated: {name}\b)",
        re.MULTILINE,
    )
    if (count := len(pattern.findall(text))) != 1:
        raise ValueError(f"{path} has {count} places between 'generated: {name}' and 'end of generated: {name}', not 1")

    def put(found: re.Match[str]) -> str:
        body = "".join(f"{found['indent']}{line}".rstrip() + "\n" for line in lines)
        return f"{found['indent']}{found['first']}{body}{found['last']}"

    return pattern.sub(put, text)


def password(manifest: Manifest) -> str:
    """Return the name of the environment variable with the password of a service's database role."""
    return f"{manifest.schema.upper()}_PASSWORD"


def image(manifest: Manifest) -> str:
    """Return the name of a service's container image: a separate image if the service needs an extra."""
    return f"pitledger-{manifest.name}" if manifest.name in EXTRAS else "pitledger"


# --- Compose, Prometheus, Kubernetes ---


def _each(lines: Callable[[Manifest], list[str]]) -> Lines:
    """Return a function that concatenates the lines `lines` returns for each service."""
    return lambda manifests: [line for one in manifests for line in lines(one)]


def _compose(manifest: Manifest) -> list[str]:
    login = f"{manifest.schema}:${{{password(manifest)}:?set it in .env}}"
    file = WRAPPING_KEYS.get(manifest.name)
    more = [] if file is None else ["    PITLEDGER_PATRON_KEYS_FILE: /run/secrets/patron_keys"]
    secret = "" if file is None else f", {{source: {Path(file).stem}, target: patron_keys}}"
    own = [
        f"  build: {{context: ., args: {{PYTHON_IMAGE: *python, EXTRA: {manifest.name}}}}}",
        f"  image: {image(manifest)}:${{PITLEDGER_VERSION:-0.1.0}}",
    ]
    return [
        f"{manifest.name}:",
        "  <<: *service",
        *(own if manifest.name in EXTRAS else ()),
        f"  command: [run, {manifest.name}]",
        "  environment:",
        "    <<: *environment",
        f"    DATABASE_URL: postgresql+psycopg://{login}@postgres:5432/pitledger",
        f'    PITLEDGER_HTTP_PORT: "{manifest.port}"',
        *more,
        f"  secrets: [verifiers, {{source: {manifest.name}-key, target: signing_key}}{secret}]",
        f'  ports: ["127.0.0.1:{manifest.port}:{manifest.port}"]',
        "  depends_on: *prepared",
        "",
    ]


def _overlay(manifest: Manifest) -> str:
    file = WRAPPING_KEYS.get(manifest.name)
    wraps = f"""      - op: add
        path: /spec/template/spec/volumes/1/secret/items/-
        value: {{key: {file}, path: {file}}}
      - op: add
        path: /spec/template/spec/containers/0/env/-
        value: {{name: PITLEDGER_PATRON_KEYS_FILE, value: /etc/pitledger/{file}}}
"""
    overlay = f"""# {manifest.title}. Written by: make generated
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../../service]
nameSuffix: -{manifest.name}
labels:
  - pairs: {{app.kubernetes.io/name: {manifest.name}}}
    includeSelectors: true
patches:
  - target: {{kind: Service}}
    patch: |-
      - {{op: replace, path: /spec/ports/0/port, value: {manifest.port}}}
  - target: {{kind: Deployment}}
    patch: |-
      - {{op: replace, path: /spec/template/spec/containers/0/image, value: {image(manifest)}}}
      - {{op: replace, path: /spec/template/spec/containers/0/args/1, value: {manifest.name}}}
      - op: replace
        path: /spec/template/spec/containers/0/env/0/valueFrom/secretKeyRef/key
        value: {manifest.name}-url
      - op: replace
        path: /spec/template/spec/volumes/1/secret/items/0/key
        value: {manifest.name}.pem
"""
    return overlay if file is None else overlay + wraps


# --- Kafka ---


def _acls(manifests: Sequence[Manifest]) -> str:
    lines = [
        "# What each service may do on the Kafka cluster. Written by: make generated",
        "# `pitledger topics acls` makes a cluster allow just this. `group`: those whose names begin so.",
    ]
    for principal, grants in groupby(acls(manifests, group_prefix=_GROUP_PREFIX), lambda grant: grant.principal):
        lines.append(f"{principal!r}:".replace("'", '"'))
        for (resource, name), same in groupby(grants, lambda grant: (grant.resource, grant.name)):
            lines.append(f"  - {{{resource}: {name}, may: [{', '.join(grant.operation for grant in same)}]}}")
    return "\n".join(lines) + "\n"


# --- the database ---


def _given_password(manifest: Manifest) -> list[str]:
    variable = f"{manifest.schema}_password"
    return [
        rf"\getenv {variable} {password(manifest)}",
        rf"\if :{{?{variable}}}",
        r"\else",
        f"    DO $$ BEGIN RAISE '{password(manifest)} is not set: give it in the environment of psql'; END $$;",
        r"\endif",
    ]


# --- documents ---


def _ports(manifests: Sequence[Manifest]) -> list[str]:
    rows = [
        f"| `{one.name}` | {one.port} | {_names(one.reads)} | {_names(one.published)} | {one.title} |"
        for one in manifests
    ]
    return ["", "| service | port | reads | publishes | what it is |", "|---|---|---|---|---|", *rows, ""]


def _names(topics: Sequence[Topic]) -> str:
    return ", ".join(f"`{topic.name}`" for topic in dict.fromkeys(topics)) or "nothing"


def _rebuilt(manifests: Sequence[Manifest]) -> list[str]:
    rows = []
    for one in manifests:
        keepers = [handler for handler in one.read_model_handlers if handler.keeps]
        rebuilt = list(
            dict.fromkeys((*one.projector.tables, *(table for handler in keepers for table in handler.keeps)))
        )
        sources = ["its journal", *(f"topic `{handler.reader.topic.name}`" for handler in keepers)]
        journal = {getattr(one.journal, field.name) for field in fields(one.journal)}
        kept = [table for table in one.journal.entries.metadata.tables.values() if table not in {*rebuilt, *journal}]
        rows.append(f"| `{one.name}` | {_tables(rebuilt)} | {', '.join(sources)} | {_tables(kept)} |")
    return ["", "| service | rebuilt | from | kept as it is |", "|---|---|---|---|", *rows, ""]


def _tables(tables: Sequence[Table]) -> str:
    return ", ".join(sorted(f"`{table.name}`" for table in tables)) or "nothing"


def _roles(manifests: Sequence[Manifest]) -> list[str]:
    rows = [f"| `{name}` | {role.description} |" for name, role in sorted(roles_of_services(manifests).items())]
    return ["", "| role | allows to |", "|---|---|", *rows, ""]


PARTS: Final[Mapping[str, Mapping[str, Lines]]] = {
    "docker-compose.yml": {
        "services": lambda manifests: _each(_compose)(manifests)[:-1],
        "passwords": _each(lambda one: [f"{password(one)}: ${{{password(one)}:?set it in .env}}"]),
        "addresses": _each(lambda one: [f"{url_variable(one.name)}: http://{one.name}:{one.port}"]),
        "keys": _each(lambda one: [f"{one.name}-key:", f"  file: ${{KEYS_DIRECTORY:?set it in .env}}/{one.name}.pem"]),
    },
    ".env.example": {"passwords": _each(lambda one: [f"{password(one)}="])},
    "infra/prometheus/prometheus.yml": {
        "targets": _each(lambda one: [f'- targets: ["{one.name}:{one.port}"]', f"  labels: {{service: {one.name}}}"])
    },
    "infra/kubernetes/console.yaml": {
        "addresses": _each(
            lambda one: [f'- {{name: {url_variable(one.name)}, value: "http://pitledger-{one.name}:{one.port}"}}']
        )
    },
    "infra/kubernetes/kustomization.yaml": {"services": _each(lambda one: [f"- services/{one.name}"])},
    "infra/postgres/roles.sql": {
        "passwords": _each(_given_password),
        "logins": _each(lambda one: [f"ALTER ROLE {one.schema} LOGIN PASSWORD :'{one.schema}_password';"]),
    },
    "pyproject.toml": {"services": _each(lambda one: [f'"services.{one.schema}",'])},
    "docs/operate/ports.md": {"ports": _ports, "roles": _roles},
    "docs/operate/rebuild.md": {"rebuilt": _rebuilt},
    "docs/verification.md": {"tables": tables.lines},
}
"""The generated parts of each file."""
