"""Kafka connection settings: brokers, TLS, and client authentication."""

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import AliasChoices, Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class KafkaSettings(BaseSettings):
    """The connection settings of every Kafka client, both librdkafka and kafka-python.

    Credentials are sent over TLS only. SASL_PLAINTEXT is therefore not offered, nor is the mechanism PLAIN, which shows
    the password to the brokers.
    """

    model_config = SettingsConfigDict(env_prefix="PITLEDGER_", frozen=True, extra="ignore", env_ignore_empty=True)

    kafka_bootstrap_servers: str = Field(
        default="127.0.0.1:9092",
        validation_alias=AliasChoices("KAFKA_BOOTSTRAP_SERVERS"),
        description="Kafka brokers, host:port, separated by commas",
    )
    kafka_security_protocol: Literal["PLAINTEXT", "SSL", "SASL_SSL"] = Field(
        default="PLAINTEXT",
        description="how to connect to the brokers: SSL is TLS, and mTLS if a certificate is set; "
        "SASL_SSL authenticates over TLS",
    )
    kafka_ca_file: Path | None = Field(
        default=None, description="CA certificates (PEM) that authenticate the brokers; default: the system's"
    )
    kafka_certificate_file: Path | None = Field(default=None, description="the service's certificate (PEM), for mTLS")
    kafka_key_file: Path | None = Field(default=None, description="the private key (PEM) of the service's certificate")
    kafka_key_password: SecretStr | None = Field(default=None, description="the password of that key")
    kafka_sasl_mechanism: Literal["SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"] = Field(
        default="SCRAM-SHA-512", description="how to authenticate with SASL_SSL"
    )
    kafka_username: str | None = Field(default=None, description="the SCRAM user name: the service's role")
    kafka_password: SecretStr | None = Field(default=None, description="the SCRAM password")
    kafka_token_url: str | None = Field(
        default=None, description="the token endpoint for OAUTHBEARER (client credentials); an https:// URL"
    )
    kafka_client_id: str | None = Field(default=None, description="the client id for OAUTHBEARER")
    kafka_client_secret: SecretStr | None = Field(default=None, description="the client secret for OAUTHBEARER")
    kafka_token_scope: str | None = Field(default=None, description="the scope of the tokens, if one is required")

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        """Reject incomplete or contradictory Kafka security settings."""
        scram = {"PITLEDGER_KAFKA_USERNAME": self.kafka_username, "PITLEDGER_KAFKA_PASSWORD": self.kafka_password}
        oauth = {
            "PITLEDGER_KAFKA_TOKEN_URL": self.kafka_token_url,
            "PITLEDGER_KAFKA_CLIENT_ID": self.kafka_client_id,
            "PITLEDGER_KAFKA_CLIENT_SECRET": self.kafka_client_secret,
        }
        tls = {
            "PITLEDGER_KAFKA_CERTIFICATE_FILE": self.kafka_certificate_file,
            "PITLEDGER_KAFKA_KEY_FILE": self.kafka_key_file,
        }
        if 0 < len(given := _given(tls)) < len(tls):
            raise ValueError(f"{given[0]} is set without its other half: {' and '.join(tls)} go together")
        by_scram, logs_in = self.kafka_sasl_mechanism.startswith("SCRAM"), self.kafka_security_protocol == "SASL_SSL"
        if self.kafka_security_protocol == "PLAINTEXT" and (
            given := _given({**tls, "PITLEDGER_KAFKA_CA_FILE": self.kafka_ca_file})
        ):
            raise ValueError(f"{given[0]} is set and the protocol is PLAINTEXT: set PITLEDGER_KAFKA_SECURITY_PROTOCOL")
        for needed, used in ((scram, logs_in and by_scram), (oauth, logs_in and not by_scram)):
            given = _given(needed)
            if used and len(given) < len(needed):
                missing = next(name for name in needed if name not in given)
                raise ValueError(f"{missing} is not set: {self.kafka_sasl_mechanism} needs {', '.join(needed)}")
            if not used and given:
                raise ValueError(
                    f"{given[0]} is set and not used with {self.kafka_security_protocol} and "
                    f"{self.kafka_sasl_mechanism}: set PITLEDGER_KAFKA_SECURITY_PROTOCOL to SASL_SSL and "
                    "PITLEDGER_KAFKA_SASL_MECHANISM to what it is for"
                )
        if self.kafka_token_url is not None and not self.kafka_token_url.startswith("https://"):
            raise ValueError("PITLEDGER_KAFKA_TOKEN_URL: an https:// URL is wanted; the client's secret goes there")
        return self

    def librdkafka(self) -> dict[str, Any]:
        """Return the librdkafka configuration, for confluent-kafka and FastStream."""
        config: dict[str, Any] = {
            "bootstrap.servers": self.kafka_bootstrap_servers,
            "security.protocol": self.kafka_security_protocol.lower(),  # in lower case, as FastStream expects
        }
        if self.kafka_security_protocol == "PLAINTEXT":
            return config
        config |= {
            "ssl.ca.location": _text(self.kafka_ca_file),
            "ssl.certificate.location": _text(self.kafka_certificate_file),
            "ssl.key.location": _text(self.kafka_key_file),
            "ssl.key.password": _secret(self.kafka_key_password),
        }
        if self.kafka_security_protocol == "SASL_SSL":
            config |= {"sasl.mechanisms": self.kafka_sasl_mechanism}
            config |= {"sasl.username": self.kafka_username, "sasl.password": _secret(self.kafka_password)}
        if self.kafka_token_url is not None:
            config |= {
                "sasl.oauthbearer.method": "oidc",
                "sasl.oauthbearer.token.endpoint.url": self.kafka_token_url,
                "sasl.oauthbearer.client.id": self.kafka_client_id,
                "sasl.oauthbearer.client.secret": _secret(self.kafka_client_secret),
                "sasl.oauthbearer.scope": self.kafka_token_scope,
                "https.ca.location": _text(self.kafka_ca_file),
            }
        return {name: value for name, value in config.items() if value is not None}

    def kafka_python(self) -> dict[str, Any]:
        """Return the kafka-python configuration."""
        config: dict[str, Any] = {
            "bootstrap_servers": [address.strip() for address in self.kafka_bootstrap_servers.split(",")],
            "security_protocol": self.kafka_security_protocol,
        }
        if self.kafka_security_protocol == "PLAINTEXT":
            return config
        config |= {
            "ssl_cafile": _text(self.kafka_ca_file),
            "ssl_certfile": _text(self.kafka_certificate_file),
            "ssl_keyfile": _text(self.kafka_key_file),
            "ssl_password": _secret(self.kafka_key_password),
        }
        if self.kafka_security_protocol == "SASL_SSL":
            config |= {"sasl_mechanism": self.kafka_sasl_mechanism}
            config |= {"sasl_plain_username": self.kafka_username, "sasl_plain_password": _secret(self.kafka_password)}
        if self.kafka_token_url is not None:
            from shared.runtime.kafka_tokens import TokenProvider  # rarely needed and slow to import

            config["sasl_oauth_token_provider"] = TokenProvider(
                self.kafka_token_url,
                client_id=self.kafka_client_id or "",
                client_secret=_secret(self.kafka_client_secret) or "",
                scope=self.kafka_token_scope,
                ca_file=self.kafka_ca_file,
            )
        return {name: value for name, value in config.items() if value is not None}


def _given(values: dict[str, Any]) -> list[str]:
    return [name for name, value in values.items() if value is not None]


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _secret(value: SecretStr | None) -> str | None:
    return None if value is None else value.get_secret_value()
