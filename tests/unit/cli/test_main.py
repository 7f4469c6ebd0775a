"""The command line as a whole: its help, its exit codes, its errors."""

import importlib
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import httpx
import pytest

from services.cli import main as command_line
from services.cli.exits import MEANINGS, CheckFailed, CommandError, ExitCode, InputRefused, NotFound, UsageWrong
from tests.unit.cli.calling import Caller

RunInstead = Callable[[Callable[[], None]], None]

ROOMS = {name: room for room, commands in command_line._COMMANDS.items() for name in commands}
COMMANDS = sorted(ROOMS)
ROUND = Path(__file__).parents[3] / "docs" / "examples" / "round.yaml"


def test_help_lists_every_command_and_every_exit_code(pitledger: Caller) -> None:
    """`pitledger --help` names the commands and says what the exit codes mean."""
    called = pitledger("--help")

    assert 0 == called.code
    assert [] == [name for name in COMMANDS if f" {name} " not in called.stdout]
    assert [] == [code for code, meaning in MEANINGS.items() if f"{code:>3}  {meaning}" not in called.stdout]


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_with_an_example(pitledger: Caller, name: str) -> None:
    """The help of every command and subcommand begins with its line in the overview and shows an example."""
    module = importlib.import_module(f"services.cli.{ROOMS[name]}.{name.replace('-', '_')}")
    group = getattr(module, "app", None)
    helps = [pitledger(name, "--help").stdout]
    assert " ".join(command_line._COMMANDS[ROOMS[name]][name].split()) in " ".join(helps[0].split())
    if group is not None:
        helps = [
            pitledger(name, command.name or command.callback.__name__, "--help").stdout
            for command in group.registered_commands
        ]

    assert [] == [text for text in helps if "Example: " not in text or "pitledger " + name not in text]


@pytest.mark.parametrize(
    ("words", "code"),
    [(["no-such-command"], 2), (["settle"], 2), (["settle", "--no-such-option", "x"], 2), (["run", "roulette"], 2)],
)
def test_wrong_use_is_one_line_and_exit_code_2(pitledger: Caller, words: list[str], code: int) -> None:
    """A word that is not understood is named in one line on stderr."""
    called = pitledger(*words)

    assert (code, "", 1) == (called.code, called.stdout, len(called.stderr.splitlines()))
    assert called.stderr.startswith("pitledger: ")


@pytest.fixture
def run_instead(monkeypatch: pytest.MonkeyPatch) -> RunInstead:
    """Puts another function, one that fails, in the place of that of `pitledger version`."""
    return partial(monkeypatch.setattr, importlib.import_module("services.cli.operations.version"), "version")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (CheckFailed("x"), ExitCode.NOT_AS_IT_SHOULD_BE),
        (UsageWrong("x"), ExitCode.USAGE),
        (InputRefused("x"), ExitCode.REFUSED),
        (NotFound("x"), ExitCode.NOT_THERE),
        (httpx.ReadTimeout("x"), ExitCode.NOT_THERE),
        (ZeroDivisionError("x"), ExitCode.BUG),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_each_kind_of_error_has_its_exit_code(
    pitledger: Caller, run_instead: RunInstead, error: BaseException, code: ExitCode
) -> None:
    """Every error ends in the exit code that the table gives it, without a traceback."""

    def version() -> None:
        raise error

    run_instead(version)
    called = pitledger("version")

    assert code == called.code
    assert "Traceback" not in called.stderr
    assert len(called.stderr.splitlines()) <= 1


def test_debug_shows_where_an_error_comes_from(pitledger: Caller, run_instead: RunInstead) -> None:
    """With --debug the traceback precedes the line."""

    def version() -> None:
        raise CommandError("over\nthere")

    run_instead(version)
    called = pitledger("--debug", "version")

    assert "Traceback" in called.stderr
    assert "pitledger: over there" == called.stderr.splitlines()[-1]


def test_version_as_json(pitledger: Caller) -> None:
    """The version is data: one JSON document on stdout."""
    (document,) = pitledger("version", "--json").documents

    assert {"version", "python"} == document.keys()


def test_version_is_an_option_too(pitledger: Caller) -> None:
    """`pitledger --version` says the same as `pitledger version`, as any program does."""
    called = pitledger("--version")

    assert (0, pitledger("version").stdout) == (called.code, called.stdout)
    assert called.stdout.startswith("pitledger 0.")


def test_settle_and_help_import_nothing_heavy() -> None:
    """What is asked for often starts without the database, the broker and the web framework."""
    script = (
        "import sys; from services.cli.main import main; main(['--help']); main(['settle', '-']);"
        "heavy = {'sqlalchemy', 'psycopg', 'faststream', 'fastapi', 'confluent_kafka', 'alembic', 'uvicorn'};"
        "sys.exit(','.join(sorted(heavy & sys.modules.keys())) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input="[]", capture_output=True, text=True, check=False, timeout=60
    )

    assert (0, "") == (done.returncode, done.stderr)


def test_output_that_nobody_reads_any_more_is_no_error() -> None:
    """`pitledger settle ... | head` ends quietly when head has seen enough."""
    script = "import sys; from services.cli.main import main; sys.exit(main(['--help']))"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert "" == process.stderr.read()

    assert 141 == process.returncode


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device that is always full is Linux's own")
@pytest.mark.parametrize(
    "words", [["--version"], ["settle", "--json", *[str(ROUND)] * 200]], ids=["at the end", "before"]
)
def test_output_for_which_there_is_no_room_is_named_so_and_is_no_bug(words: list[str]) -> None:
    """`pitledger balances > FILE` on a full disk says so in one line, and its exit code that the file is not whole."""
    script = "import sys; from services.cli.main import main; sys.exit(main(sys.argv[1:]))"
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-c", script, *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert (3, "pitledger: what is written to has no room left: No space left on device\n") == (
        done.returncode,
        done.stderr,
    )
