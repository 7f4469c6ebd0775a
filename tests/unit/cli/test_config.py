"""`pitledger config`: what is in force, and nothing that is secret."""

import pytest

from services.cli.environment import without_password
from shared.runtime.settings import Settings
from tests.unit.cli.calling import Caller


def test_every_setting_is_listed_with_its_variable_and_source(
    pitledger: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A setting says from which variable it comes, or that it has its default."""
    monkeypatch.delenv("KAFKA_BOOTSTRAP_SERVERS", raising=False)
    monkeypatch.setenv("PITLEDGER_LOG_LEVEL", "debug")
    (called,) = pitledger("config", "--json").documents
    document = called["settings"]

    assert Settings.model_fields.keys() == document.keys()
    assert {"value": "debug", "variable": "PITLEDGER_LOG_LEVEL", "source": "environment"} == document["log_level"]
    assert {
        "value": "127.0.0.1:9092",
        "variable": "KAFKA_BOOTSTRAP_SERVERS",
        "source": "default",
    } == document["kafka_bootstrap_servers"]


@pytest.mark.parametrize("words", [["config"], ["config", "--json"]])
def test_the_password_in_a_url_is_masked(pitledger: Caller, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    """Neither form shows the database's password; user, host and database stay readable."""
    monkeypatch.setenv("DATABASE_URL", "postgresql+psycopg://audit:passwd@db:5432/books")
    called = pitledger(*words)

    assert "passwd" not in called.stdout
    assert "audit:***@db:5432/books" in called.stdout


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u@h/d", "postgresql://u@h/d"),
        ("postgresql://u:secret@h/d", "postgresql://u:***@h/d"),
        ("postgresql://u:%p@ss/w:rd@h/d", "postgresql://u:***@h/d"),
        ("postgresql://u:@h/d", "postgresql://u:***@h/d"),
        ("postgresql://h/d?password=p&sslmode=require", "postgresql://h/d?password=***&sslmode=require"),
        ("postgresql://h/d?sslmode=require&sslpassword=p", "postgresql://h/d?sslmode=require&sslpassword=***"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    """Whatever of a URL may be a password is masked, also where it was not encoded."""
    assert shown == without_password(url)


def test_a_setting_that_is_wrong_is_named_without_its_value(pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bad value is a wrong use that names the variable."""
    monkeypatch.setenv("PITLEDGER_BATCH_RECORDS_MAX", "s3cret")
    called = pitledger("config")

    assert 2 == called.code
    assert called.stderr.startswith("pitledger: PITLEDGER_BATCH_RECORDS_MAX: ")
    assert "s3cret" not in called.stderr


@pytest.mark.parametrize(
    ("variable", "advice"),
    [
        ("PITLEDGER_LOGLEVEL", "is PITLEDGER_LOG_LEVEL meant?"),
        ("PITLEDGER_HTTPPORT", "is PITLEDGER_HTTP_PORT meant?"),
        ("pitledger_scrub_secconds", "is PITLEDGER_SCRUB_SECONDS meant?"),
        ("PITLEDGER_DATABASE_URL", "is DATABASE_URL meant?"),
        ("PITLEDGER_ZZZZZZZZZZZZ", "take it out of the environment"),
    ],
)
def test_a_variable_that_is_no_setting_is_refused(
    pitledger: Caller, monkeypatch: pytest.MonkeyPatch, variable: str, advice: str
) -> None:
    """Whoever misspells a setting is told at once, not when what it should have prevented has happened."""
    monkeypatch.setenv(variable, "secret-value")
    refused = pitledger("config")
    assert 2 == refused.code
    assert f"{variable}: there is no such setting; {advice}" in refused.stderr
    assert "secret-value" not in refused.stderr


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("DATABSE_URL", "DATABASE_URL"),
        ("DATABASE_URI", "DATABASE_URL"),
        ("databases_url", "DATABASE_URL"),
        ("KAFKA_BOOTSTRAP_SERVER", "KAFKA_BOOTSTRAP_SERVERS"),
        ("BOOTSTRAP_SERVERS", "KAFKA_BOOTSTRAP_SERVERS"),
    ],
)
@pytest.mark.parametrize("command", [("config",), ("up", "--servers-only", "--service", "vigorish")], ids=" ".join)
def test_a_server_that_is_misspelled_is_no_reason_for_the_default(
    pitledger: Caller, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], variable: str, meant: str
) -> None:
    """A service would start on another database than the one that somebody meant."""
    for name in ("DATABASE_URL", "KAFKA_BOOTSTRAP_SERVERS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, "//u:secret-value@somewhere")
    refused = pitledger(*command)
    assert (2, "") == (refused.code, refused.stdout)
    assert f"{variable}: there is no such setting, and {meant} is not set: is that meant?" in refused.stderr
    assert "secret-value" not in refused.stderr


@pytest.mark.parametrize("command", [("config",), ("up",), ("run", "vigorish"), ("balances",)], ids=" ".join)
@pytest.mark.parametrize("kind", ["mysql://", "postgres://", "//", ""])
def test_a_database_of_another_kind_is_a_wrong_use(
    pitledger: Caller, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], kind: str
) -> None:
    """It is said what to write, and not what was written, which has a password in it."""
    monkeypatch.setenv("DATABASE_URL", f"{kind}u:secret-value@db/books")
    refused = pitledger(*command)
    assert (2, "") == (refused.code, refused.stdout)
    assert refused.stderr.startswith(
        "pitledger: DATABASE_URL: write postgresql+psycopg://USER:PASSWORD@HOST:PORT/DATABASE"
    )
    assert "secret-value" not in refused.stderr


@pytest.mark.parametrize("variable", ["DATABSE_URL", "KAFKA_BOOTSTRAP_SERVER"])
def test_what_is_set_itself_has_no_other_that_is_meant(
    pitledger: Caller, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """Another program's variable may have a name like it, and one of another kind may be set alone."""
    monkeypatch.setenv("DATABASE_URL", "postgresql+psycopg://db/books")
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", "kafka:9092")
    monkeypatch.setenv(variable, "x")
    assert 0 == pitledger("config").code
    monkeypatch.delenv(variable)
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.setenv("TEST_DATABASE_URL", "x")
    assert 0 == pitledger("config").code


def test_a_variable_without_a_value_is_as_one_that_is_not_set(
    pitledger: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every setting: an empty path would be the directory in which the process happens to be."""
    (unset,) = pitledger("config", "--json").documents
    for one in unset["settings"].values():
        monkeypatch.setenv(one["variable"], "")
    (empty,) = pitledger("config", "--json").documents
    assert {"default"} == {one["source"] for one in empty["settings"].values()}
    assert empty["settings"]["checkpoint_directory"]["value"] is None


def test_what_other_parts_read_is_no_mistake(pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings of callers, of Compose and of `schemas` are none of a service, and are known."""
    for variable in ("TOKEN", "STACK", "VERSION", "REGISTRY_PASSWORD", "ROUND_SETTLEMENT_URL"):
        monkeypatch.setenv(f"PITLEDGER_{variable}", "x")
    assert 0 == pitledger("config").code


def test_each_role_is_listed_with_what_it_allows_and_its_duty(pitledger: Caller) -> None:
    """Whoever gives roles at the provider reads here what there is to be given."""
    (document,) = pitledger("config", "--json").documents

    assert "counts drop boxes" == document["roles"]["boxes.count"]["duty"]
    assert all(role["description"].endswith(".") for role in document["roles"].values())


def test_a_provider_that_cannot_be_trusted_is_a_wrong_use(pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the services, which would not start with it."""
    monkeypatch.setenv("PITLEDGER_OIDC_ISSUER", "http://id.example")
    called = pitledger("config")

    assert 2 == called.code
    assert called.stderr.startswith("pitledger: PITLEDGER_OIDC_ISSUER 'http://id.example' ")
