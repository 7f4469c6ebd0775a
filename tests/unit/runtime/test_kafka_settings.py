"""How clients reach Kafka: in the words of both clients, and never with half of what is needed."""

from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from typing import Any

import httpx
import pytest
from confluent_kafka import Producer
from pydantic import SecretStr, ValidationError

from shared.local.ports import LOOPBACK
from shared.runtime.kafka_settings import KafkaSettings
from shared.runtime.kafka_tokens import TokenProvider
from tests.support.certificates import Authority
from tests.support.https import https

CA, CERTIFICATE, KEY = Path("/etc/ca.pem"), Path("/etc/own.crt"), Path("/etc/own.key")
OAUTH: dict[str, Any] = {
    "kafka_security_protocol": "SASL_SSL",
    "kafka_sasl_mechanism": "OAUTHBEARER",
    "kafka_token_url": "https://id.example/token",
    "kafka_client_id": "vigorish",
    "kafka_client_secret": SecretStr("hush"),
}


def test_plain_text_says_nothing_else() -> None:
    """On one machine the brokers' addresses are all that a client is told."""
    found = KafkaSettings(KAFKA_BOOTSTRAP_SERVERS="a:1, b:2")
    connection = {"bootstrap.servers": "a:1, b:2", "security.protocol": "plaintext"}
    assert connection == found.librdkafka()
    assert {"bootstrap_servers": ["a:1", "b:2"], "security_protocol": "PLAINTEXT"} == found.kafka_python()


def test_scram_over_tls_in_the_words_of_both() -> None:
    """Both clients are told the same authority, mechanism, name and password."""
    found = KafkaSettings(
        kafka_security_protocol="SASL_SSL",
        kafka_ca_file=CA,
        kafka_username="vigorish",
        kafka_password=SecretStr("hush"),
    )
    one, other = found.librdkafka(), found.kafka_python()
    assert [str(CA), "SCRAM-SHA-512", "vigorish", "hush"] == [
        one[name] for name in ("ssl.ca.location", "sasl.mechanisms", "sasl.username", "sasl.password")
    ]
    assert [str(CA), "SCRAM-SHA-512", "vigorish", "hush"] == [
        other[name] for name in ("ssl_cafile", "sasl_mechanism", "sasl_plain_username", "sasl_plain_password")
    ]
    assert "hush" not in repr(found)


def test_a_certificate_in_the_words_of_both() -> None:
    """With mTLS there is no login, and no name."""
    found = KafkaSettings(
        kafka_security_protocol="SSL", kafka_ca_file=CA, kafka_certificate_file=CERTIFICATE, kafka_key_file=KEY
    )
    one, other = found.librdkafka(), found.kafka_python()
    assert [str(CERTIFICATE), str(KEY)] == [one["ssl.certificate.location"], one["ssl.key.location"]]
    assert [str(CERTIFICATE), str(KEY)] == [other["ssl_certfile"], other["ssl_keyfile"]]
    assert not [name for name in (*one, *other) if "sasl" in name]


def test_tokens_in_the_words_of_both() -> None:
    """librdkafka, which accepts the settings, fetches tokens by itself; kafka-python is given who fetches them."""
    found = KafkaSettings(**OAUTH, kafka_token_scope="kafka")
    one = found.librdkafka()
    assert ["oidc", "kafka"] == [one["sasl.oauthbearer.method"], one["sasl.oauthbearer.scope"]]
    Producer({**one, "log_level": 0, "bootstrap.servers": f"{LOOPBACK}:1"})
    assert isinstance(found.kafka_python()["sasl_oauth_token_provider"], TokenProvider)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kafka_security_protocol": "SASL_SSL"}, "KAFKA_USERNAME is not set: SCRAM-SHA-512 needs"),
        ({"kafka_security_protocol": "SASL_SSL", "kafka_username": "me"}, "KAFKA_PASSWORD is not set"),
        ({**OAUTH, "kafka_client_secret": None}, "KAFKA_CLIENT_SECRET is not set: OAUTHBEARER needs"),
        ({**OAUTH, "kafka_token_url": "http://id.example/token"}, "KAFKA_TOKEN_URL: an https:// URL is wanted"),
        ({**OAUTH, "kafka_username": "me"}, "KAFKA_USERNAME is set and not used"),
        ({"kafka_password": SecretStr("hush")}, "KAFKA_PASSWORD is set and not used with PLAINTEXT"),
        ({"kafka_ca_file": CA}, "KAFKA_CA_FILE is set and the protocol is PLAINTEXT"),
        ({"kafka_security_protocol": "SSL", "kafka_key_file": KEY}, "KAFKA_KEY_FILE is set without its other half"),
        ({"kafka_security_protocol": "SASL_PLAINTEXT"}, "'PLAINTEXT', 'SSL' or 'SASL_SSL'"),
        ({"kafka_sasl_mechanism": "PLAIN"}, "'SCRAM-SHA-256', 'SCRAM-SHA-512' or 'OAUTHBEARER'"),
    ],
)
def test_what_does_not_go_together_is_refused(wrong: dict[str, Any], said: str) -> None:
    """Something was forgotten, or a secret would go over plain text: the error names the setting, never its value."""
    with pytest.raises(ValidationError) as refused:
        KafkaSettings(**wrong)
    assert said in str(refused.value)
    assert "hush" not in str(refused.value)


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[tuple[str, Authority, list[tuple[str, str]]]]:
    """The URL of an OpenID provider's token endpoint, the authority behind it, and what it was asked."""
    authority = Authority(tmp_path)
    asked: list[tuple[str, str]] = []

    def reply(headers: Message, form: bytes) -> bytes:
        asked.append((headers["authorization"], form.decode()))
        return b'{"access_token": "a.b.c", "token_type": "Bearer"}'

    with https(authority, reply) as url:
        yield f"{url}/token", authority, asked


def test_a_token_is_fetched_by_the_clients_own_credentials(
    provider: tuple[str, Authority, list[tuple[str, str]]], tmp_path: Path
) -> None:
    """The provider is known by its certificate, and asked as RFC 6749, section 4.4, says."""
    url, authority, asked = provider
    credentials = {"client_id": "vigorish", "client_secret": "hush", "scope": "kafka"}
    assert "a.b.c" == TokenProvider(url, **credentials, ca_file=authority.file).token()
    assert [(httpx.BasicAuth("vigorish", "hush")._auth_header, "grant_type=client_credentials&scope=kafka")] == asked
    stranger = Authority(tmp_path, "stranger")
    with pytest.raises(httpx.ConnectError):
        TokenProvider(url, **credentials, ca_file=stranger.file).token()
