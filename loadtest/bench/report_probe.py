"""Request every report, measure the response times, and check the reports' accounting identities."""

import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from typing import Any, Final

import httpx

from loadtest.bench.processes import OWN

SPANS: Final = ("day", "week", "month", "year")
_FORMS: Final = ("pdf", "xlsx", "csv")
_BIGGEST: Final = 3
"""The number of reports, those with the most rows in a month, that are requested in all formats."""
_FORMS_OF: Final = ("master-game",)
"""Further reports that are requested in all formats."""


@dataclass(frozen=True, slots=True)
class Question:
    """A requested report: its name, period and format."""

    report: str
    period: str
    form: str = "json"


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to a request: status code, duration, CPU seconds of reporting and the database, bytes, rows.

    `digest` is the SHA-256 of the body. `broken` lists the violated accounting identities.
    """

    status: int
    seconds: float
    cpu_seconds: float
    size: int
    rows: int
    digest: str
    broken: tuple[str, ...] = ()


Answers = Mapping[Question, Answer]


class Desk:
    """Requests a property's reports for periods that end with a gaming day, as known at a moment."""

    def __init__(self, client: httpx.Client, property_name: str, last_day: date, known_at: datetime) -> None:
        """Request reports of a property and day through a client of reporting."""
        self._client = client
        self._asked = {
            "property": property_name,
            "gaming_day": last_day.isoformat(),
            "known_at": known_at.isoformat(),
        }

    def ask_all(self, spans: Sequence[str] = SPANS) -> dict[Question, Answer]:
        """Request every report for each of its periods, some in all formats; print and return the answers."""
        reports = self._client.get("/reports").raise_for_status().json()
        asked = [Question(one["name"], span) for one in reports for span in spans if span in one["periods"]]
        say(f"{'report':20} {'span':6} {'form':5} {'status':6} {'rows':>7} {'bytes':>11} {'seconds':>8} {'processor'}")
        found = {question: self.ask(question) for question in asked}
        months = {one.report: answer.rows for one, answer in found.items() if one.period == "month"}
        longest = sorted(months, key=lambda name: -months[name])[:_BIGGEST]
        for name in dict.fromkeys((*longest, *_FORMS_OF)):
            for form in _FORMS:
                question = Question(name, "month", form)
                found[question] = self.ask(question)
        return found

    def ask(self, question: Question) -> Answer:
        """Request a report once; print and return the answer."""
        query = {**self._asked, "period": question.period, "as": question.form}
        before, started = _of_reporting(), time.monotonic()
        response = self._client.get(f"/reports/{question.report}", params=query)
        seconds, used = time.monotonic() - started, _of_reporting() - before
        rows = 0
        broken: tuple[str, ...] = ()
        if question.form == "json" and response.is_success:
            content = response.json()["content"]
            rows = sum(len(section["rows"]) for section in content["sections"])
            broken = tuple(_broken(content["identities"]))
        size, digest = len(response.content), sha256(response.content).hexdigest()
        answer = Answer(response.status_code, seconds, used, size, rows, digest, broken)
        say(
            f"{question.report:20} {question.period:6} {question.form:5} {answer.status:6} {rows:7,} {size:11,} "
            f"{seconds:8.2f} {used:9.2f}"
        )
        if response.is_error:
            say(f"    {response.text}")
        return answer


def failures(answers: Answers) -> Iterator[str]:
    """Yield the failures: reports that were not returned, and violated identities."""
    for question, answer in answers.items():
        if answer.status >= httpx.codes.BAD_REQUEST:
            yield f"{question.report} of a {question.period} as {question.form} answered {answer.status}"
        for identity in answer.broken:
            yield f"{question.report} of a {question.period}: {identity}"


def differences(before: Answers, after: Answers, when: str) -> Iterator[str]:
    """Yield a message, which ends with `when`, for each request whose two responses differ in their bytes."""
    for question, answer in before.items():
        if after[question].digest != answer.digest:
            yield f"{question.report} of a {question.period} as {question.form} has other bytes {when}"


def worst(answers: Answers) -> str:
    """Return a text that names the slowest report and the slowest file, with their times."""
    found = []
    for what, forms in (("report", ("json",)), ("file", _FORMS)):
        of_forms = {question: answer for question, answer in answers.items() if question.form in forms}
        question, answer = max(of_forms.items(), key=lambda one: one[1].seconds)
        found.append(
            f"slowest {what}: {question.report} of a {question.period} as {question.form}, {answer.seconds:.2f} s "
            f"({answer.cpu_seconds:.2f} s of processor)"
        )
    return "; ".join(found)


def empty(answers: Answers) -> Iterable[str]:
    """Return the names of the reports without rows in any period, sorted."""
    with_rows = {question.report for question, answer in answers.items() if answer.rows}
    return sorted({question.report for question in answers} - with_rows)


def say(line: str) -> None:
    """Print a line, and flush."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _broken(identities: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for one in identities:
        if not one["holds"]:
            yield f"{one['name']}: {one['left']} is not {one['right']}, but {one['says']}"


def _of_reporting() -> float:
    used = OWN.used().processes
    return used.get("reporting", 0.0) + used.get("postgres", 0.0)
