"""Point 12: callers with a token that is none, has ended, or says too much, and people who speak for others."""

import json
import os
import subprocess
import sys
import time
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Final

import httpx
from joserfc import jwt
from joserfc.jwk import ECKey

from services.cli.demo.pit import REGISTRY, REPORTING
from shared.local.issuer import DevelopmentIssuer
from shared.local.ports import LOOPBACK, free_port
from tests.attacks.altered import SETTLEMENT
from tests.attacks.floor import PROPERTY, Floor, event_of, raw
from tests.attacks.naming import at_the_door
from tests.attacks.outcome import Attempt, Sign
from tests.attacks.pace import AT_ONCE
from tests.attacks.stack import Attacked
from tests.attacks.watching import Metric, No, watching
from tests.support import eventually
from tests.support.services import ROOT, produce

_OTHER: Final = "paytable-registry-of-another-provider"
"""A second process of the registry on the same servers, whose provider makes the tokens that are tried."""
_TIMES: Final = 5
_AGAIN_AND_AGAIN: Final = 120
"""So often within five minutes is more than one in five seconds, which opens a ticket."""
_PAUSE_SECONDS: Final = 0.05
_ON_RECORD_AS: Final = """
    SELECT data ->> 'by' FROM round_settlement.entries WHERE kind = 'command.refused'
    AND data ->> 'reason' IN ('same-person', 'roles-incompatible', 'role-missing')"""
_ON_RECORD: Final = No("no alert: whoever asks has a name, which is on record with it")
_TOO_FEW: Final = No("no alert: a few are not one in five seconds; who asks again and again is below")
_REFUSED: Final = "pitledger_callers_refused_total"


def tokens(floor: Floor) -> Iterator[Attempt]:
    """Ask with every kind of token that is not good, and approve what one has asked for oneself."""
    attacked = floor.attacked
    good = attacked.tokens["demo.auditor"]
    yield _asked(attacked, "a made-up token", "made-up", _refused("malformed"))
    forged = _forged(good)
    yield _asked(attacked, "a token of the provider's form, signed by somebody else", forged, _refused("signature"))
    yield _revoked(attacked)
    with DevelopmentIssuer() as issuer, _another(attacked, issuer):
        yield from _of_provider(attacked, issuer)
    yield _by(floor)
    yield _duties()
    often = _AGAIN_AND_AGAIN
    metric = Metric(_REFUSED, {"why": "none"}, by=often)
    yield _asked(attacked, "no token", None, metric, times=often, alert="PitledgerCallersRefused")


def _refused(why: str) -> Metric:
    return Metric(_REFUSED, {"why": why}, by=_TIMES)


@contextmanager
def _caller(attacked: Attacked, service: str, token: str | None) -> Iterator[httpx.Client]:
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    with httpx.Client(base_url=attacked.urls[service], headers=headers, timeout=30) as client:
        yield client


def _ask(attacked: Attacked, service: str, path: str, token: str | None) -> httpx.Response:
    with _caller(attacked, service, token) as client:
        return client.get(path)


def _asked(
    attacked: Attacked,
    what: str,
    token: str | None,
    metric: Metric,
    *,
    service: str = REPORTING,
    path: str = "/reports",
    status: int = 401,
    alert: str | No = _TOO_FEW,
    times: int = _TIMES,
) -> Attempt:
    named = at_the_door(service, metric, alert=alert, log="authentication failed")
    with watching(attacked, named) as watch, _caller(attacked, service, token) as client:
        for _ in range(times):
            answer = client.get(path)
            watch.require(answer.status_code == status, f"answered {answer.status_code}: {answer.text[:200]}")
            time.sleep(_PAUSE_SECONDS)
        watch.strike()
    return watch.attempt(
        12, f"{what}, {times} times", "refused", f"{status} {answer.json()['type'].rpartition(':')[2]}"
    )


def _forged(token: str) -> str:
    """Return a token that says what a good one says, and names its key, signed with another."""
    header, claims = _parts(token)
    key = ECKey.generate_key("P-256", {"use": "sig", "alg": "ES256"})
    return jwt.encode(dict(header), dict(claims), key)


def _parts(token: str) -> tuple[Mapping[str, object], Mapping[str, object]]:
    head, body, _ = token.split(".")
    return json.loads(urlsafe_b64decode(head + "==")), json.loads(urlsafe_b64decode(body + "=="))


def _revoked(attacked: Attacked) -> Attempt:
    person = "demo.auditor"
    token = attacked.tokens[person]
    assert _ask(attacked, REPORTING, "/reports", token).is_success
    moment = (datetime.now(UTC) + timedelta(minutes=1)).isoformat()
    attacked.revoked.write_text(f"- person: {person}\n  issued_before: {moment}\n")
    try:
        return _asked(attacked, "a token of somebody who was locked out", token, _refused("revoked"))
    finally:
        attacked.revoked.write_text("[]\n")


@contextmanager
def _another(attacked: Attacked, issuer: DevelopmentIssuer) -> Iterator[None]:
    """Run a second process of the registry, which asks another provider."""
    port, log = free_port(), attacked.directory / "another.log"
    url = f"http://{LOOPBACK}:{port}"
    keys = attacked.directory / "run" / "keys"
    environment = dict(os.environ) | dict(attacked.up.environment) | dict(issuer.settings)
    environment |= {
        "PITLEDGER_CHECKPOINT_KEY_FILE": str(keys / f"{REGISTRY}.pem"),
        "PITLEDGER_HTTP_PORT": str(port),
        "PITLEDGER_OIDC_TOKEN_SECONDS_MAX": "3600",
    }
    with log.open("w") as said:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "services.cli.main", "run", REGISTRY], env=environment, stderr=said
        )
    try:
        with attacked.guest(_OTHER, url, log):
            attacked.wait_until_ready(_OTHER)
            yield
    finally:
        process.terminate()
        process.wait(60)


def _of_provider(attacked: Attacked, issuer: DevelopmentIssuer) -> Iterator[Attempt]:
    now, hour = datetime.now(UTC), timedelta(hours=1)
    reader = ["properties.read"]
    path = f"/properties/{PROPERTY}/in-effect"
    good = issuer.token("jane.roe", reader, [PROPERTY], life=hour)
    answer = _ask(attacked, _OTHER, path, good)
    assert answer.is_success, answer.text
    expired = issuer.token("jane.roe", reader, [PROPERTY], at=now - 2 * hour, life=hour)
    yield _asked(attacked, "a token that ended an hour ago", expired, _refused("expired"), service=_OTHER, path=path)
    for_ever = issuer.token("jane.roe", reader, [PROPERTY], life=timedelta(days=365))
    yield _asked(attacked, "a token that lives for a year", for_ever, _refused("lifetime"), service=_OTHER, path=path)
    elsewhere = issuer.token("jane.roe", reader, ["elsewhere"], life=hour)
    forbidden = Metric("pitledger_http_requests_total", {"status": "403"}, by=_TIMES)
    for what, token, reason in (
        ("a token for another property", elsewhere, "property-missing"),
        (
            "a token with two duties that exclude each other",
            issuer.token("jane.roe", [*reader, "slips.request", "cage.transact"], [PROPERTY], life=hour),
            "roles-incompatible",
        ),
    ):
        named = at_the_door(_OTHER, forbidden, alert=_ON_RECORD, log="access denied")
        with watching(attacked, named) as watch, _caller(attacked, _OTHER, token) as client:
            for _ in range(_TIMES):
                answer = client.get(path)
                refused = answer.status_code == 403 and answer.json()["type"].endswith(reason)
                watch.require(refused, f"answered {answer.status_code}: {answer.text[:200]}")
        yield watch.attempt(12, f"{what}, {_TIMES} times", "refused", f"403 {reason}")


def _by(floor: Floor) -> Attempt:
    """Dismiss a record in somebody else's name, and approve it oneself."""
    attacked = floor.attacked
    true = floor.coming(1)[0]
    produce(attacked.servers, "table.events", [raw(event_of(true))])
    floor.send(true)
    query = "SELECT max(id) FROM round_settlement.quarantine WHERE resolved_at IS NULL"
    eventually(lambda: attacked.rows(query)[0][0] is not None, because="a record is in quarantine")
    number = str(attacked.rows(query)[0][0])
    metric = Metric("pitledger_http_requests_total", {"status": "403"}, by=1)  # no role for it, or the same person
    no_line = No("no log line: the refusal is an entry of the journal, with the name")
    named = at_the_door(SETTLEMENT, metric, alert=_ON_RECORD, log=no_line)
    named_by = attacked.command_as("demo.operator", "quarantine", "dismiss", number, "--reason", "x", "--by", "mallory")
    with watching(attacked, named) as watch:
        watch.require(named_by.code == 2, f"--by was taken: exit {named_by.code}, {named_by.said[-200:]}")
        asked = attacked.command_as("demo.operator", "quarantine", "dismiss", number, "--reason", "an attack")
        watch.require(asked.code == 0, f"a record could not be dismissed: {asked.said[-300:]}")
        approved = attacked.command_as("demo.operator", "quarantine", "approve", number, "1")
        watch.require(approved.code != 0, "one person has asked for it and approved it")
    on_record = attacked.rows(_ON_RECORD_AS)
    watch.require(on_record == [("demo.operator",)], f"the refusal is on record as {on_record}")
    return watch.attempt(
        12,
        "a record dismissed `--by mallory` (exit 2), and approved by who asked",
        "refused",
        f"exit {approved.code}: {approved.said.strip().splitlines()[-1][:60]}",
    )


def _duties() -> Attempt:
    """Look for the printable matrix, and that it is what the code says."""
    began = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-m", "services.cli.codegen", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    printed = (ROOT / "docs" / "duties.md").read_text()
    cells = sum(line.count("✗") + line.count("≠") for line in printed.splitlines() if line.startswith("| "))
    no = "a document, not an attack"
    signs = {name: Sign(no) for name in ("metric", "readyz", "alert", "verify")}
    signs["log"] = Sign(
        f"docs/duties.md has {cells} cells that exclude; `make lint` holds it to the code",
        time.monotonic() - began,
        missing=bool(ended.returncode) or not cells,
    )
    wrong = [ended.stdout[-300:] + ended.stderr[-300:]] if ended.returncode else []
    return Attempt(
        12,
        "segregation of duties printed as one matrix",
        "refused",
        "docs/duties.md, a test a cell",
        *AT_ONCE,
        signs,
        wrong,
    )
