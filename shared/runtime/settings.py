"""Settings of a service, from the environment, with safe defaults."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, AliasChoices, Field, SecretStr
from pydantic_core import PydanticCustomError

from shared.runtime.kafka_settings import KafkaSettings

Seconds = Annotated[float, Field(gt=0)]


def _of_postgresql(url: SecretStr) -> SecretStr:
    """Return the URL if it is a PostgreSQL URL. Raises: PydanticCustomError otherwise, without showing the URL."""
    if not url.get_secret_value().startswith(("postgresql+psycopg://", "postgresql://")):
        raise PydanticCustomError("database_url", "write postgresql+psycopg://USER:PASSWORD@HOST:PORT/DATABASE")
    return url


class Settings(KafkaSettings):
    """The settings of one service. `pitledger config` prints the descriptions with the values."""

    database_url: Annotated[SecretStr, AfterValidator(_of_postgresql)] = Field(
        default=SecretStr("postgresql+psycopg://127.0.0.1:5432/pitledger"),
        validation_alias=AliasChoices("DATABASE_URL"),
        description="PostgreSQL, as a SQLAlchemy URL; services log in as their own role",
    )
    database_readers_max: Annotated[int, Field(ge=2)] = Field(
        default=8, description="maximum database connections for queries"
    )
    database_commands_max: Annotated[int, Field(ge=2)] = Field(
        default=6, description="maximum database connections for commands"
    )
    database_background_max: Annotated[int, Field(ge=10)] = Field(
        default=20, description="maximum database connections for ingest, publishing and background jobs"
    )
    database_wait_seconds_max: Seconds = Field(
        default=5, description="maximum wait of a request for a connection, and of a query for a lock; then 503"
    )
    kafka_group_prefix: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,100}$")] = Field(
        default="pitledger", description="prefix of the names of consumer groups"
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
        default=1_048_576, description="maximum bytes of a request's body"
    )
    http_connections_max: Annotated[int, Field(ge=1)] = Field(default=512, description="maximum concurrent connections")
    http_connections_per_client_max: Annotated[int, Field(ge=1)] = Field(
        default=256, description="maximum concurrent connections per client address; a proxy is one address"
    )
    http_request_seconds_max: Seconds = Field(default=120, description="maximum time to process a request")
    log_lines_per_minute_max: Annotated[int, Field(ge=1)] = Field(
        default=60, description="maximum log lines per event and minute; the next line states how many were dropped"
    )
    log_format: Literal["json", "console"] = Field(default="json", description="format of the log lines on stderr")
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="minimum log severity")
    batch_records_max: Annotated[int, Field(ge=1, le=10_000)] = Field(
        default=500,
        description="maximum records committed in one transaction; ten times as many for settlements in reporting",
    )
    fetch_seconds: Seconds = Field(
        default=0.5,
        description="maximum time for a broker to hold back a fetch answer without new records",
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
        description="time in which every entry is verified again; longer if that takes more than 400 per second",
    )
    rederivation_seconds: Seconds = Field(
        default=3600, description="time between re-derivations of a journal that follows from topics"
    )
    comparison_seconds: Seconds = Field(
        default=60, description="time between comparisons of the tables with the journal and topics"
    )
    background_share: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.2,
        description="maximum CPU share (0 to 1) of background jobs, such as comparing and re-deriving",
    )
    checkpoint_seconds: Seconds = Field(default=60, description="time between signed checkpoints")
    checkpoint_directory: Path | None = Field(
        default=None, description="directory for signed checkpoints, outside the database; none: no checkpoints"
    )
    checkpoint_key_file: Path | None = Field(
        default=None, description="Ed25519 private key (PEM) that signs checkpoints; none: no checkpoints"
    )
    checkpoint_verifiers_file: Path | None = Field(
        default=None,
        description="public keys of the services, current and former, one per line; none: only the signing key's",
    )
    archive_store: str | None = Field(
        default=None, description="the archive of sealed gaming days: a folder or s3://bucket/prefix; none: no archive"
    )
    archive_key_file: Path | None = Field(
        default=None, description="Ed25519 private key (PEM) that signs the manifests of the archive"
    )
    witnesses_file: Path | None = Field(
        default=None,
        description="witnesses that cosign checkpoints, one key and URL per line; none: no witnesses",
    )
    witnesses_required: Annotated[int, Field(ge=1)] = Field(
        default=1, description="number of witnesses whose cosignatures `pitledger verify` requires"
    )
    patron_keys_file: Path | None = Field(
        default=None,
        description="the keys that wrap patrons' keys, the current one first; none: patrons cannot be identified",
    )
    message_authentication: Literal["required", "off"] = Field(
        default="required",
        description="whether services sign their messages and verify those of others; off: only in tests",
    )
    oidc_issuer: str | None = Field(
        default=None, description="URL of the OpenID provider that issues callers' tokens; none: no caller is accepted"
    )
    oidc_audience: str = Field(default="pitledger", description="the audience that a token must have")
    oidc_person_claim: str = Field(default="sub", description="the claim that names the person")
    oidc_roles_claim: str = Field(default="roles", description="the claim that lists the person's roles")
    oidc_properties_claim: str = Field(
        default="properties", description="the claim that lists the properties the person works for; *: all"
    )
    oidc_token_seconds_max: Seconds = Field(default=3600, description="maximum lifetime of an accepted token")
    oidc_revoked_file: Path | None = Field(
        default=None, description="the revocation list of tokens and people; reloaded when it changes"
    )
    jurisdictions: Path | None = Field(
        default=None, description="a folder with the installation's own jurisdiction packs, added to the release's"
    )
    reports_store: str | None = Field(
        default=None,
        description="destination of the reports of sealed days: a folder or s3://bucket/prefix; none: no delivery",
    )
    reports: str = Field(
        default="master-game:pdf+xlsx", description="the reports to deliver and their formats: name:pdf+csv,..."
    )
    reports_at_once: Annotated[int, Field(ge=1)] = Field(
        default=3, description="maximum concurrent reports as JSON; in addition, one report is produced as a file"
    )
    reports_waiting_max: Annotated[int, Field(ge=0)] = Field(
        default=16, description="maximum waiting requests for reports as JSON, and for reports as files; then 503"
    )
    reports_delay_seconds: Annotated[float, Field(ge=0)] = Field(
        default=30, description="delay of deliveries and exports after the seal, in which all journals are read"
    )
    console_url: str | None = Field(
        default=None, description="public URL of the console; none: the address on which it listens"
    )
    console_client_id: str = Field(
        default="pitledger-console", description="the console's client id at the OpenID provider"
    )
    console_client_secret_file: Path | None = Field(
        default=None, description="file with the console's client secret; none: a public client, with PKCE"
    )
    console_scope: str = Field(default="openid", description="the scopes that the console requests from the provider")
    console_asks_audience: bool = Field(
        default=False, description="whether the console sends the audience to the provider, as some providers require"
    )
    console_docs_directory: Path | None = Field(
        default=None, description="directory of the documentation that the console serves; none: the release's"
    )

    @property
    def database_connections_max(self) -> int:
        """Return the maximum number of database connections of a process, over all of its pools."""
        return self.database_readers_max + self.database_commands_max + self.database_background_max
