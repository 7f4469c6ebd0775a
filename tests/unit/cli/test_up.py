"""What `pitledger up` prints of a stack that runs, and where it starts none."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from services.cli.environment import OF_STACK
from services.cli.services import NAMES, STACK_VARIABLE
from services.cli.stack.demo_users import PEOPLE
from services.cli.stack.run_directory import Home
from services.cli.stack.up import show_stack
from shared.journal.archive.manifest import ARCHIVE
from shared.local.issuer import DevelopmentIssuer
from tests.unit.cli.calling import Caller

RUN = "/var/lib/pitledger/of-the-property-at-the-river/run"
PATHS = ("tokens_file", "checkpoints", "verifiers_file", "logs", "environment_file")
WIDTH = 160


def test_without_a_terminal_no_line_is_wider_than_a_page(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many people a stack has; addresses and files stand there whole."""
    monkeypatch.delenv("COLUMNS", raising=False)
    urls = {name: f"http://127.0.0.1:{8100 + number}" for number, name in enumerate(NAMES)}
    running = {
        "services": urls,
        "console": "http://127.0.0.1:8100",
        "keeps": False,
        "kafka_bootstrap_servers": "127.0.0.1:9092",
        "database_url": "postgresql+psycopg://pitledger@127.0.0.1:5432/pitledger",
        **{name: f"{RUN}/{name}" for name in PATHS},
    }
    show_stack(running)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= WIDTH
    said = " ".join(word for line in lines for word in line.split())
    for whole in (*(running[name] for name in PATHS), running["database_url"], *urls.values(), *PEOPLE):
        assert str(whole) in said


def test_in_a_terminal_of_a_stack_none_is_started(pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of one that has ended: it says at once whose environment that is, and what to unset."""
    monkeypatch.setenv(STACK_VARIABLE, RUN)
    monkeypatch.setenv("DATABASE_URL", "postgresql+psycopg://pitledger@127.0.0.1:1/pitledger")
    monkeypatch.delenv("KAFKA_BOOTSTRAP_SERVERS", raising=False)
    called = pitledger("up")
    assert (2, "") == (called.code, called.stdout)
    said = " ".join(called.stderr.split())
    assert f"the environment of the stack in {RUN}" in said
    assert f"unset {STACK_VARIABLE} DATABASE_URL" in said
    assert "starting" not in said


@pytest.mark.parametrize("command", [("up",), ("demo",)], ids=" ".join)
def test_a_value_that_a_setting_cannot_have_starts_nothing(
    pitledger: Caller, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    """It is named with its variable, as by every other command, and is no bug."""
    monkeypatch.setenv("PITLEDGER_RETRY_SECONDS_MAX", "two minutes")
    called = pitledger(*command)
    assert (2, "") == (called.code, called.stdout)
    assert called.stderr.startswith("pitledger: PITLEDGER_RETRY_SECONDS_MAX: Input should be a valid number")
    assert "starting" not in called.stderr


def test_a_directory_that_cannot_be_is_named(pitledger: Caller, tmp_path: Path) -> None:
    """A file in its place, for instance, is no bug."""
    (tmp_path / "kept").write_text("")
    called = pitledger("up", "--directory", str(tmp_path / "kept"))
    assert (2, "") == (called.code, called.stdout)
    assert called.stderr == f"pitledger: {tmp_path / 'kept'}: File exists; give a directory in which to keep data\n"


def test_a_setting_that_a_stack_has_of_its_own_is_refused(pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would have no effect: the people of the development issuer would come in, and not those of the provider."""
    monkeypatch.setenv("PITLEDGER_OIDC_ISSUER", "https://id.example/realms/house")
    called = pitledger("up")
    assert (2, "") == (called.code, called.stdout)
    assert called.stderr.startswith("pitledger: PITLEDGER_OIDC_ISSUER: `pitledger up` sets this itself")


def test_what_a_stack_gives_its_services_is_known(tmp_path: Path) -> None:
    """Those of its directory and its issuer, and where each listens; messages are verified whatever is set."""
    with ExitStack() as open_until_then:
        home, issuer = Home(tmp_path, open_until_then), open_until_then.enter_context(DevelopmentIssuer())
        own = [home.environment, issuer.settings, *map(home.environment_of, NAMES)]
    listening = {"PITLEDGER_HTTP_HOST", "PITLEDGER_HTTP_PORT"}
    assert set(OF_STACK) == listening.union(*own) - {"PITLEDGER_MESSAGE_AUTHENTICATION"}


def test_a_terminal_beside_a_stack_has_the_key_and_the_place_of_its_archive(tmp_path: Path) -> None:
    """The key is there; its services get neither."""
    with ExitStack() as open_until_then:
        home = Home(tmp_path, open_until_then)
        home.write_keys((ARCHIVE,))
    assert (home.path / "keys" / "archive.pem") == Path(home.archive["PITLEDGER_ARCHIVE_KEY_FILE"])
    assert Path(home.archive["PITLEDGER_ARCHIVE_KEY_FILE"]).is_file()
    assert home.path == Path(home.archive["PITLEDGER_ARCHIVE_STORE"]).parent
    assert home.archive.keys().isdisjoint({*home.environment, *home.environment_of(NAMES[0])})


def test_what_stays_while_a_stack_runs_holds_nothing_that_only_its_services_and_its_start_need() -> None:
    """`up` waits most of the time: topics and schemas are made by processes that end."""
    code = "import sys, services.cli.stack.up; print(*{name.partition('.')[0] for name in sys.modules})"
    ran = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    assert "services" in ran.stdout.split()
    assert set() == {"sqlalchemy", "alembic", "kafka", "faststream", "fastapi"} & set(ran.stdout.split())
