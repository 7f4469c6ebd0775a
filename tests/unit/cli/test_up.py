"""What `pitledger up` prints of a stack that runs."""

import pytest

from services.cli.demo_users import PEOPLE
from services.cli.services import NAMES
from services.cli.up import show_stack

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
