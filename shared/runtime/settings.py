"""Settings of a service, from the environment, with safe defaults."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, AliasChoices, Field, SecretStr
from pydantic_core import PydanticCustomError

from shared.runtime.kafka_settings import KafkaSettings

Seconds = Annotated[float, Field(gt=0)]


def _of_postgresql(url: SecretStr) -> SecretStr:
    """Return the URL of a database. Raises: PydanticCustomError for any other database, without showing the URL."""
    if not url.get_secret_value().startswith(("postgresql+psycopg://", "postgresql://")):
        raise PydanticCustomError("database_url", "write postgresql+psycopg://USER:PASSWORD@HOST:PORT/DATABASE")
    return url


class Settings(KafkaSettings):
    """Settings of one service. `pitledger config` prints the field descriptions with the values."""

    database_url: Annotated[SecretStr, AfterValidator(_of_postgresql)] = Field(
        default=SecretStr("postgresql+psycopg://127.0.0.1:5432/pitledger"),
        validation_alias=AliasChoices("DATABASE_URL"),
        description="PostgreSQL, as a SQLAlchemy URL; services log in as their own role",
    )
    database_readers_max: Annotated[int, Field(ge=2)] = Field(
        default=8, description="most database connections of requests that ask"
    )
    database_commands_max: Annotated[int, Field(ge=2)] = Field(
        default=6, description="most database connections of requests that change something"
    )
    database_background_max: Annotated[int, Field(ge=10)] = Field(
        default=20, description="most database connections of what a service does by itself; at rest it needs few"
    )
    database_wait_seconds_max: Seconds = Field(
        default=5, description="longest wait of a request for a connection, and of one that asks for a lock; then 503"
    )
    kafka_group_prefix: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,100}$")] = Field(
        default="pitledger", description="what the names of consumer groups begin with"
    )
    kafka_session_seconds: Seconds = Field(
        default=10,
        description="how long a silent member of a consumer group keeps its partitions",
    )
    http_host: str = Field(default="127.0.0.1", description="address on which the service listens")
    http_port: Annotated[int, Field(ge=0, le=65535)] | None = Field(
        default=None, description="port on which the service listens; each service has its own default"
    )
    http_body_bytes_max: Annotated[int, Field(ge=1024)] = Field(
        default=1_048_576, description="most bytes of the body of a request"
    )
    http_connections_max: Annotated[int, Field(ge=1)] = Field(default=512, description="most connections at once")
    http_connections_per_client_max: Annotated[int, Field(ge=1)] = Field(
        default=256, description="most connections at once of one address; a proxy is one address"
    )
    http_request_seconds_max: Seconds = Field(default=120, description="longest work on one request")
    log_lines_per_minute_max: Annotated[int, Field(ge=1)] = Field(
        default=60, description="most log lines of one kind in a minute; the next one says how many were left out"
    )
    log_format: Literal["json", "console"] = Field(default="json", description="form of the log lines on stderr")
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="least severe log line")
    batch_records_max: Annotated[int, Field(ge=1, le=10_000)] = Field(
        default=500,
        description="most records committed in one transaction; ten times as many where reporting adds up settlements",
    )
    fetch_seconds: Seconds = Field(
        default=0.5,
        description="how long a broker may hold an answer back while it has nothing new; Apache Kafka gives what comes",
    )
    retry_seconds_max: Seconds = Field(
        default=120, description="how long a failing database is retried before the service gives up and exits"
    )
    ready_lag_records_max: Annotated[int, Field(ge=1)] = Field(
        default=50_000, description="consumer lag above which the service is not ready"
    )
    ready_age_seconds_max: Seconds = Field(
        default=300, description="age of the oldest unprocessed record above which the service is not ready"
    )
    verification_seconds: Seconds = Field(default=60, description="time between verifications of the journal")
    scrub_seconds: Seconds = Field(
        default=86_400,
        description="time in which every entry is verified again, however old it is; 400 a second at most",
    )
    rederivation_seconds: Seconds = Field(
        default=3600, description="time between derivations of the journal from its topics, where it follows from them"
    )
    comparison_seconds: Seconds = Field(
        default=60, description="time between comparisons of the tables with the journal and topics they follow from"
    )
    background_share: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.2,
        description="what work that nobody waits for, such as comparing and deriving again, takes of a processor",
    )
    checkpoint_seconds: Seconds = Field(default=60, description="time between signed checkpoints")
    checkpoint_directory: Path | None = Field(
        default=None, description="where signed checkpoints are copied, outside the database; none: no checkpoints"
    )
    checkpoint_key_file: Path | None = Field(
        default=None, description="Ed25519 private key (PEM) that signs checkpoints; none: no checkpoints"
    )
    checkpoint_verifiers_file: Path | None = Field(
        default=None,
        description="public keys of the services, former ones too, one a line; none: the signing key's alone",
    )
    witnesses_file: Path | None = Field(
        default=None,
        description="witnesses that are asked to cosign checkpoints, a key and a URL a line; none: nobody is asked",
    )
    witnesses_required: Annotated[int, Field(ge=1)] = Field(
        default=1, description="of how many of the listed witnesses `pitledger verify` demands a cosignature"
    )
    patron_keys_file: Path | None = Field(
        default=None,
        description="the keys that wrap the key of each patron, the one in use first; none: nobody is identified",
    )
    message_authentication: Literal["required", "off"] = Field(
        default="required",
        description="whether services sign what they publish and verify what they read of others; off: in tests alone",
    )
    oidc_issuer: str | None = Field(
        default=None, description="the OpenID provider whose tokens callers send, as a URL; none: nobody may call"
    )
    oidc_audience: str = Field(default="pitledger", description="the audience for which the provider issues tokens")
    oidc_person_claim: str = Field(default="sub", description="the claim that names the person")
    oidc_roles_claim: str = Field(default="roles", description="the claim that lists the person's roles")
    oidc_properties_claim: str = Field(
        default="properties", description="the claim that lists the properties the person works for; *: all"
    )
    oidc_token_seconds_max: Seconds = Field(default=3600, description="longest life of a token that is accepted")
    oidc_revoked_file: Path | None = Field(
        default=None, description="tokens and persons that are locked out at once; read again when it changes"
    )
    jurisdictions: Path | None = Field(
        default=None, description="a folder with jurisdiction packs of your own, besides those of the release"
    )
    reports_store: str | None = Field(
        default=None,
        description="where reports of sealed days are delivered: a folder or s3://bucket/prefix; none: nowhere",
    )
    reports: str = Field(
        default="master-game:pdf+xlsx", description="which reports it delivers, in which formats: name:pdf+csv,..."
    )
    reports_at_once: Annotated[int, Field(ge=1)] = Field(
        default=3, description="most reports that are answered at once as JSON; beside them one is made as a file"
    )
    reports_waiting_max: Annotated[int, Field(ge=0)] = Field(
        default=16, description="most requests for reports that wait, of each of the two; one more is 503"
    )
    reports_delay_seconds: Annotated[float, Field(ge=0)] = Field(
        default=30, description="how long after the seal a day is delivered: all journals have been read by then"
    )
    console_url: str | None = Field(
        default=None, description="where browsers find the console, as a URL; none: the address on which it listens"
    )
    console_client_id: str = Field(
        default="pitledger-console", description="what the OpenID provider calls the console"
    )
    console_client_secret_file: Path | None = Field(
        default=None, description="the secret by which the provider knows the console; none: a public client, with PKCE"
    )
    console_scope: str = Field(default="openid", description="the scopes for which the console asks the provider")
    console_asks_audience: bool = Field(
        default=False, description="whether the console names the audience to the provider, as some providers want it"
    )
    console_docs_directory: Path | None = Field(
        default=None, description="the built documentation that the console serves; none: that of the release"
    )

    @property
    def database_connections_max(self) -> int:
        """Return the maximum number of database connections of a process, over all of its pools."""
        return self.database_readers_max + self.database_commands_max + self.database_background_max
