"""Load files into the topics, each completely or not at all, and each event once, even after a crash.

Before a file's first event is sent, its plan is written to disk: the bytes and sequence of every event. On a restart,
the intake checks which of the plan's events are on the topics, and sends the others byte for byte.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.cli.operations.intake_folder import Arrived, Folder
from services.cli.operations.intake_lines import Line, Problem, encoded, read_lines
from services.cli.operations.intake_topics import Kept, Known, Outgoing, Topics, digest_of
from shared.contracts.device_signatures import sign
from shared.contracts.topics import PIT_EVENTS, TABLE_EVENTS
from shared.runtime.clock import utc_now

RECEIPT: Final = ".receipt.json"
REASONS: Final = ".reasons.json"
LOOK: Final = {
    TABLE_EVENTS.name: ("round-settlement",),
    PIT_EVENTS.name: ("table-inventory", "vigorish"),
}
"""The services that may quarantine events, by topic."""
_STATE, _PLAN = "known", "plan"

Signing = tuple[Ed25519PrivateKey, str]
"""The signing key, and its id in the property."""


class Intake:
    """Loads the files of a folder, one by one. `step` is called after each step, with its name."""

    def __init__(
        self,
        folder: Folder,
        topics: Topics,
        *,
        signing: Signing | None = None,
        clock: Callable[[], datetime] = utc_now,
        step: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._folder = folder
        self._topics = topics
        self._signing = signing
        self._clock = clock
        self._step = step

    def take(self) -> Iterator[dict[str, Any]]:
        """Load complete files, resuming an unfinished plan first, and yield each result. Raises: NotFound."""
        plan = self._folder.read(_PLAN)
        if plan is not None:
            yield self._carry_out(plan)
        for found in self._folder.arrived():
            yield {"outcome": "waits", "reason": found} if isinstance(found, str) else self._one(found)

    def _one(self, file: Arrived) -> dict[str, Any]:
        state = self._folder.read(_STATE) or {"known": Known().as_json(), "files": {}}
        if (before := state["files"].get(file.digest)) is not None:
            return self._reject(file, [Problem(0, f"the same bytes were taken before, as done/{before}")])
        lines, problems = read_lines(file.name, file.content, file.digest)
        if problems:
            return self._reject(file, problems)
        known = Known.of(state["known"])
        self._topics.read_on(known)
        self._folder.keep(_STATE, state | {"known": known.as_json()})
        self._step("topics read")
        events, problems = planned(lines, known.last, self._signing)
        if problems:
            return self._reject(file, problems)
        plan = {
            "file": file.name,
            "sha256": file.digest,
            "kept_as": file.kept_as,
            "bytes": len(file.content),
            "known": known.as_json(),
            "signed_by": None if self._signing is None else self._signing[1],
            "events": [asdict(event) for event in events],
        }
        self._folder.keep(_PLAN, plan)
        self._step("planned")
        return self._carry_out(plan, fresh=True)

    def _carry_out(self, plan: Mapping[str, Any], *, fresh: bool = False) -> dict[str, Any]:
        """Send the events of a plan that are not on the topics yet, write the receipt, and move the file."""
        events = [Outgoing(**each) for each in plan["events"]]
        known = Known.of(plan["known"])
        kept, taken = ({}, []) if fresh else self._topics.read_on(known, events)
        if taken:
            return self._give_up(plan, events, kept, taken)
        kept |= self._topics.send([event for event in events if event.place not in kept], known)
        self._step("sent")
        receipt = {
            **{name: plan[name] for name in ("file", "sha256", "bytes", "signed_by")},
            "taken_at": self._clock().isoformat(),
            "events": [_receipt_of(event, kept[event.place]) for event in events],
            "where_a_refused_event_waits": _commands({event.topic for event in events}),
        }
        folder = self._folder
        folder.conclude(plan["file"], plan["sha256"], folder.done, plan["kept_as"], RECEIPT, receipt)
        self._step("moved")
        self._end(plan, taken=True)
        return {"outcome": "done", "file": plan["file"], "kept_as": plan["kept_as"], "events": len(events)}

    def _end(self, plan: Mapping[str, Any], *, taken: bool) -> None:
        state = self._folder.read(_STATE)
        assert state is not None, "it was kept before the plan"
        if taken:
            self._folder.keep(_STATE, state | {"files": state["files"] | {plan["sha256"]: plan["kept_as"]}})
            self._step("state kept")
        self._folder.forget(_PLAN)

    def _reject(self, file: Arrived, problems: Sequence[Problem]) -> dict[str, Any]:
        said = {
            "file": file.name,
            "sha256": file.digest,
            "rejected_at": self._clock().isoformat(),
            "sent": [],
            "problems": [asdict(each) for each in problems],
        }
        self._folder.conclude(file.name, file.digest, self._folder.rejected, file.kept_as, REASONS, said)
        return {"outcome": "rejected", "file": file.name, "kept_as": file.kept_as, "problems": said["problems"]}

    def _give_up(
        self,
        plan: Mapping[str, Any],
        events: Sequence[Outgoing],
        kept: Mapping[tuple[str, int], Kept],
        taken: Sequence[str],
    ) -> dict[str, Any]:
        """Reject a planned file whose stream positions another system's events have taken; list the sent events."""
        problems = [asdict(Problem(0, f"another system writes this stream: {place}")) for place in taken]
        said = {
            "file": plan["file"],
            "sha256": plan["sha256"],
            "rejected_at": self._clock().isoformat(),
            "sent": [_receipt_of(event, kept[event.place]) for event in events if event.place in kept],
            "problems": problems,
        }
        folder = self._folder
        folder.conclude(plan["file"], plan["sha256"], folder.rejected, plan["kept_as"], REASONS, said)
        self._end(plan, taken=False)
        return {"outcome": "rejected", "file": plan["file"], "kept_as": plan["kept_as"], "problems": problems}


def planned(
    lines: Sequence[Line], last: Mapping[str, int], signing: Signing | None = None
) -> tuple[list[Outgoing], list[Problem]]:
    """Return the events, numbered to continue each stream after `last`, and the problems with given sequences."""
    reached = dict(last)
    events: list[Outgoing] = []
    problems: list[Problem] = []
    for line in lines:
        following = reached.get(line.source, 0) + 1
        sequence = following if line.sequence is None else line.sequence
        if sequence < following:
            problems.append(Problem(line.number, f"'sequence' {sequence}: {line.source} has {following - 1} already"))
        elif sequence > following:
            reason = f"'sequence' {sequence}: {following} of {line.source} is to come first"
            problems.append(Problem(line.number, reason))
        value = encoded(line.event, sequence)
        signature = None if signing is None else sign(*signing, line.topic, value).decode()
        events.append(Outgoing(line.number, line.topic, line.source, sequence, value.decode(), signature))
        reached[line.source] = max(sequence, following)
    return events, problems


def _receipt_of(event: Outgoing, kept: Kept) -> dict[str, Any]:
    return {
        "line": event.line,
        "topic": event.topic,
        "partition": kept.partition,
        "offset": kept.offset,
        "source": event.source,
        "sequence": event.sequence,
        "sha256": digest_of(event),
    }


def _commands(topics: set[str]) -> list[str]:
    return [f"pitledger quarantine list --service {service}" for topic in sorted(topics) for service in LOOK[topic]]
