"""Files that go in: whole or not at all, each event once, whatever step the intake is killed at."""

import csv
import json
from collections.abc import Callable
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.cli.operations.intake_folder import Folder
from services.cli.operations.intake_topics import Topics
from services.cli.operations.intake_work import Intake
from shared.contracts.device_signatures import sign
from shared.runtime.settings import Settings
from tests.support import AnyBroker
from tests.support.lost_answer import LostAnswer
from tests.support.pit import MORNING, Table
from tests.support.rounds import completed
from tests.support.services import create_topics, produce, read_topic
from tests.unit.cli.calling import Caller

STEPS = ("topics read", "planned", "sent", "moved", "state kept")
"""What is durable after each: where a process may be killed."""


class Killed(BaseException):
    """Stands for kill -9: nothing that runs afterwards catches it."""


class Files:
    """A folder and the topics that its files go to."""

    def __init__(self, broker: AnyBroker, directory: Path) -> None:
        self.broker = broker.bootstrap_servers
        self.directory = directory
        self.folder = Folder(directory)

    def drop(self, name: str, *lines: dict[str, Any], marker: str | None = None) -> str:
        """Write a file of JSON Lines and its marker, and return its SHA-256."""
        content = "".join(json.dumps(line) + "\n" for line in lines).encode()
        digest = sha256(content).hexdigest()
        (self.folder.incoming / name).write_bytes(content)
        (self.folder.incoming / f"{name}.sha256").write_text(f"{marker or digest}  {name}\n")
        return digest

    def take(
        self, step: Callable[[str], object] = lambda _: None, *, broker: str | None = None, **options: Any
    ) -> list[dict[str, Any]]:
        """Take the files as a process of its own would."""
        topics = Topics(Settings(kafka_bootstrap_servers=broker or self.broker))
        return list(Intake(self.folder, topics, step=step, **options).take())

    def sent(self, topic: str = "table.events") -> list[tuple[str, int, str]]:
        """The stream, the sequence and the kind of everything on a topic, in the order of each stream."""
        events = [json.loads(record.value) for record in read_topic(self.broker, topic)]
        return sorted(
            ((event["source"], event["sequence"], event["type"]) for event in events), key=lambda event: event[0]
        )


@pytest.fixture
def files(fresh_broker: AnyBroker, tmp_path: Path) -> Files:
    """An empty folder beside empty topics."""
    create_topics(fresh_broker.bootstrap_servers, {"table.events": 4, "pit.events": 4})
    return Files(fresh_broker, tmp_path)


def unnumbered(event: dict[str, Any]) -> dict[str, Any]:
    """An event whose sequence the intake gives."""
    return {name: event[name] for name in ("type", "time", "data")}


def dying(at: str) -> Callable[[str], None]:
    """What is told the steps, and ends the process after one of them."""

    def told(step: str) -> None:
        if step == at:
            raise Killed(step)

    return told


def test_killed_at_every_step(files: Files) -> None:
    """A file for each step, after which its process is killed: the next one goes on, and each event is sent once."""
    for number, step in enumerate(STEPS):
        first = 2 * number + 1
        digest = files.drop(f"{number}.jsonl", *(unnumbered(completed("BJ-01", first + n)) for n in range(2)))
        with pytest.raises(Killed):
            files.take(dying(step))
        assert step == "state kept" or ["done"] == [found["outcome"] for found in files.take()]
        expected = [("/properties/riverside/tables/BJ-01", n, "round.completed") for n in range(1, first + 2)]
        assert expected == files.sent(), step
        kept = files.folder.done / f"{digest[:12]}-{number}.jsonl"
        receipt = json.loads(kept.with_name(f"{kept.name}.receipt.json").read_text())
        assert [first, first + 1] == [event["sequence"] for event in receipt["events"]]
        assert digest == sha256(kept.read_bytes()).hexdigest()
        assert [] == list(files.folder.incoming.iterdir())


def test_killed_between_two_events(files: Files) -> None:
    """Where some events of a plan are on the topic, the others are sent, and the receipt says where all of them are."""
    files.drop("day.jsonl", *(unnumbered(completed("BJ-01", n)) for n in (1, 2, 3)))
    with pytest.raises(Killed):
        files.take(dying("planned"))
    plan = files.folder.read("plan")
    assert plan is not None
    first = plan["events"][0]
    produce(files.broker, first["topic"], [(first["source"].encode(), first["value"].encode())])
    [done] = files.take()
    assert [1, 2, 3] == [sequence for _, sequence, _ in files.sent()]
    receipt = json.loads((files.folder.done / f"{done['kept_as']}.receipt.json").read_text())
    records = read_topic(files.broker, "table.events")
    by_place = {(record.partition, record.offset): sha256(record.value).hexdigest() for record in records}
    assert by_place == {(event["partition"], event["offset"]): event["sha256"] for event in receipt["events"]}


def test_an_answer_that_is_lost_leaves_the_receipt_true(files: Files) -> None:
    """What a client sent twice, because the answer was lost, is there once, and the receipt says where it is.

    A broker may answer the second time that it has the batch and not where (the embedded one does).
    """
    files.drop("day.jsonl", *(unnumbered(completed("BJ-01", n)) for n in range(1, 6)))
    with LostAnswer(files.broker) as line:
        [done] = files.take(broker=line.bootstrap_servers)
        assert 1 == line.lost
    receipt = json.loads((files.folder.done / f"{done['kept_as']}.receipt.json").read_text())
    records = read_topic(files.broker, "table.events")
    by_place = {(record.partition, record.offset): sha256(record.value).hexdigest() for record in records}
    assert by_place == {(event["partition"], event["offset"]): event["sha256"] for event in receipt["events"]}
    assert [1, 2, 3, 4, 5] == [sequence for _, sequence, _ in files.sent()]


def test_another_writer_of_the_stream_is_named(files: Files) -> None:
    """A place that somebody else took after the plan rejects the file, and its reasons say what was sent of it."""
    files.drop("day.jsonl", *(unnumbered(completed("BJ-01", n)) for n in (1, 2)))
    with pytest.raises(Killed):
        files.take(dying("planned"))
    plan = files.folder.read("plan")
    assert plan is not None
    ours = plan["events"][0]
    produce(files.broker, "table.events", [(ours["source"].encode(), ours["value"].encode()), completed("BJ-01", 2)])
    [rejected] = files.take()
    assert "another system writes this stream" in rejected["problems"][0]["reason"]
    reasons = json.loads((files.folder.rejected / f"{rejected['kept_as']}.reasons.json").read_text())
    assert [1] == [event["sequence"] for event in reasons["sent"]]
    assert 2 == len(files.sent())


def test_numbers_go_on_where_the_streams_are(files: Files) -> None:
    """Table and pit have streams of their own; a given number must be the next, and two lines cannot have one."""
    produce(files.broker, "table.events", [completed("BJ-01", n) for n in (1, 2)])
    opened = Table("BJ-01", property_name="riverside").opened(MORNING, [])
    files.drop("1.jsonl", unnumbered(completed("BJ-01", 3)), unnumbered(opened), completed("BJ-01", 4))
    files.drop("2.jsonl", completed("BJ-01", 4), completed("BJ-01", 8))
    done, rejected = files.take()
    assert ("done", "rejected") == (done["outcome"], rejected["outcome"])
    assert [1, 2] == [problem["line"] for problem in rejected["problems"]]
    assert [1, 2, 3, 4] == [sequence for _, sequence, _ in files.sent()]
    assert [("/properties/riverside/tables/BJ-01/pit", 1, "table.opened")] == files.sent("pit.events")


def test_whole_or_not_at_all_and_once(files: Files) -> None:
    """One bad line rejects all of a file, what is not complete waits, and the same bytes are not taken again."""
    good = unnumbered(completed("BJ-01", 1))
    files.drop("bad.jsonl", good, good | {"time": "yesterday"}, good | {"type": "round.forgotten"})
    files.drop("cut.jsonl", good, marker="0" * 64)
    (files.folder.incoming / "on-its-way.jsonl").write_text("{")
    rejected, waiting = files.take()
    assert [2, 3] == [problem["line"] for problem in rejected["problems"]]
    assert ("waits", True) == (waiting["outcome"], "send it again" in waiting["reason"])
    assert [] == files.sent()
    assert {"cut.jsonl", "cut.jsonl.sha256", "on-its-way.jsonl"} == {p.name for p in files.folder.incoming.iterdir()}

    files.drop("cut.jsonl", good)
    files.drop("same.jsonl", good)
    taken, again = files.take()
    assert ("done", "rejected") == (taken["outcome"], again["outcome"])
    assert f"taken before, as done/{taken['kept_as']}" in again["problems"][0]["reason"]
    assert 1 == len(files.sent())


def test_a_name_in_capitals_is_taken(files: Files) -> None:
    """As some systems write names: the file, and its marker too; nothing of them stays behind."""
    event = completed("BJ-01", 1)
    row = {"type": event["type"], "time": event["time"], **event["data"]}
    cells = [json.dumps(value) if isinstance(value, dict) else str(value) for value in row.values()]
    table = StringIO()
    csv.writer(table).writerows([list(row), cells])
    content = table.getvalue().encode()
    (files.folder.incoming / "DAY.CSV").write_bytes(content)
    (files.folder.incoming / "DAY.CSV.SHA256").write_text(f"{sha256(content).hexdigest()}  DAY.CSV\n")
    files.drop("NIGHT.JSONL", unnumbered(completed("BJ-01", 2)))
    assert ["done", "done"] == [found["outcome"] for found in files.take()]
    assert [1, 2] == [sequence for _, sequence, _ in files.sent()]
    assert [] == list(files.folder.incoming.iterdir())


def test_what_is_not_taken_is_named(
    files: Files, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another extension, a link, a folder, a marker of nothing: each by its name, and `--once` ends with 1.

    What is on its way is not: without its marker, or under a hidden name.
    """
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", files.broker)
    incoming = files.folder.incoming
    files.drop("day.xlsx", completed("BJ-01", 1))
    files.drop(".hidden.txt", completed("BJ-01", 1))
    (incoming / "notes").write_text("hello")
    (incoming / "more.csv").mkdir()
    (incoming / "there.csv").symlink_to(files.directory / "elsewhere.csv")
    (incoming / "gone.csv.sha256").write_text("0" * 64)
    for on_its_way in ("late.CSV", ".late.csv.Xy12"):
        (incoming / on_its_way).write_text("type,")
    said = Caller(capsys, monkeypatch)("intake", str(files.directory), "--once", "--json")
    named = {found["reason"].partition(": is left, ")[0] for found in said.documents}
    assert (1, {"day.xlsx", ".hidden.txt", "notes", "more.csv", "there.csv", "gone.csv.sha256"}) == (said.code, named)
    assert [] == files.sent()


def test_what_is_signed_is_what_is_sent(files: Files) -> None:
    """The plan has the header of each event: the key's signature over its bytes, the same at every attempt."""
    key = Ed25519PrivateKey.generate()
    files.drop("day.jsonl", unnumbered(completed("BJ-01", 1)))
    with pytest.raises(Killed):
        files.take(dying("planned"), signing=(key, "gateway-2026"))
    plan = files.folder.read("plan")
    assert plan is not None
    [event] = plan["events"]
    assert sign(key, "gateway-2026", "table.events", event["value"].encode()).decode() == event["signature"]
    [done] = files.take()
    assert (
        "gateway-2026" == json.loads((files.folder.done / f"{done['kept_as']}.receipt.json").read_text())["signed_by"]
    )


def test_the_command_says_what_became_of_each_file(
    files: Files, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--once` ends with 0 where all was taken, with 1 where a line was wrong, with 2 where the key has no id."""
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", files.broker)
    pitledger = Caller(capsys, monkeypatch)
    directory = str(files.directory)
    files.drop("day.jsonl", unnumbered(completed("BJ-01", 1)))
    said = pitledger("intake", directory, "--once")
    assert (0, True) == (said.code, said.stdout.startswith("day.jsonl: 1 events sent; done/")), said.stderr
    files.drop("bad.jsonl", {"type": "round.completed"})
    said = pitledger("intake", directory, "--once", "--json")
    assert (1, ["rejected"]) == (said.code, [found["outcome"] for found in said.documents])
    said = pitledger("intake", directory, "--once", "--key", "gateway.pem")
    assert (2, True) == (said.code, "--key and --kid go together" in said.stderr)
