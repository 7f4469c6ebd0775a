"""The Prometheus metrics of every service on /metrics, and its business metrics, which require a role.

No label names a player, a round or an account.
"""

from collections.abc import Collection

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

from shared.contracts.rejection import Reason
from shared.runtime.logs import LINES_LEFT_OUT

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_RECORDS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)

_TABLE = ("property", "revenue_class", "game", "table")
"""Labels of the business metrics: one series per table, as limited by services.reporting.read_model.running_day."""
_OF_TABLES = {
    "handle_cents": "Handle of settled rounds in cents",
    "win_cents": "Settled win in cents (wagers and vigorish less payouts)",
    "drop_cents": "Estimated drop in cents (chips sold for currency and counter checks, before boxes are counted)",
    "rake_cents": "Rake in cents of counted boxes of non-banking tables",
    "rounds": "Rounds settled and not reversed",
    "results": "Results recorded by counted tables",
}
"""The business metrics of tables: meaning and unit, by the suffix of the metric's name."""


class Metrics:
    """The metrics of one service: anyone may scrape `registry`; `business` has the tables' figures and needs a role."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = r = registry or CollectorRegistry()
        self.business = money = CollectorRegistry()
        ProcessCollector(registry=r)
        topic, partition = ["topic"], ["topic", "partition"]
        self.info = Gauge(
            "pitledger_info",
            "Always 1; the labels are the version and the SHA-256 of the release manifest",
            ["version", "release"],
            registry=r,
        )
        self.ready = Gauge("pitledger_ready", "1 if the service is ready, else 0", registry=r)
        self.lag = Gauge(
            "pitledger_consumer_lag_records",
            "Records of a partition not yet processed; NaN if unknown",
            partition,
            registry=r,
        )
        self.age = Gauge(
            "pitledger_oldest_unprocessed_age_seconds",
            "Age of the oldest unprocessed record, in seconds",
            topic,
            registry=r,
        )
        self.broker_response_age = Gauge(
            "pitledger_broker_response_age_seconds",
            "Seconds since the leader of a partition last responded; the longest of the topic's partitions",
            topic,
            registry=r,
        )
        self.topic_partitions = Gauge(
            "pitledger_topic_partitions", "Number of partitions of a consumed topic", topic, registry=r
        )
        self.partitions_read = Gauge(
            "pitledger_partitions_read", "Partitions assigned to this process, including halted ones", topic, registry=r
        )
        self.batch = Histogram("pitledger_batch_records", "Records in a batch", buckets=_RECORDS, registry=r)
        self.commit = Histogram(
            "pitledger_commit_seconds",
            "Time from receiving a batch to its commit, in seconds",
            buckets=_SECONDS,
            registry=r,
        )
        self.entries = Counter("pitledger_entries", "Journal entries recorded, by kind", ["kind"], registry=r)
        self.refused = Counter("pitledger_commands_refused", "Commands refused, by reason", ["reason"], registry=r)
        self.duplicates = Counter("pitledger_duplicates_dropped", "Duplicate records dropped", topic, registry=r)
        self.fenced = Counter(
            "pitledger_fenced",
            "Batches abandoned because another consumer took over their partition or streams",
            topic,
            registry=r,
        )
        self.gaps = Counter("pitledger_gaps", "Gaps detected in the sequence numbers of streams", registry=r)
        self.gaps_open = Gauge(
            "pitledger_gaps_open", "Gaps in the sequence numbers of streams that are still open", registry=r
        )
        self.partitions_stopped = Gauge(
            "pitledger_partitions_stopped", "Partitions halted until a person decides about a record", topic, registry=r
        )
        self.skipped = Counter(
            "pitledger_unknown_kinds_skipped",
            "Events that move no money, skipped because this release does not know their type",
            topic,
            registry=r,
        )
        self.conflicts = Counter(
            "pitledger_conflicts",
            "Records with the sequence number of an earlier record of their stream, but other content",
            topic,
            registry=r,
        )
        self.not_authentic = Counter(
            "pitledger_not_authentic_records",
            "Records not signed by the service that owns their topic",
            topic,
            registry=r,
        )
        self.not_from_device = Counter(
            "pitledger_not_from_device_records",
            "Records not signed by a key registered for their table",
            topic,
            registry=r,
        )
        self.implausible = Counter(
            "pitledger_implausible_events",
            "Events that exceed a plausibility limit of their property, by limit and outcome",
            ["topic", "limit", "outcome"],
            registry=r,
        )
        self.authenticated = Gauge(
            "pitledger_messages_authenticated",
            "1 if messages between services are signed and verified, else 0",
            registry=r,
        )
        self.quarantined = Counter("pitledger_quarantined_records", "Records quarantined", topic, registry=r)
        self.quarantine_open = Gauge("pitledger_quarantine_open", "Unresolved records in quarantine", registry=r)
        self.relay_backlog = Gauge("pitledger_relay_backlog_entries", "Journal entries not yet published", registry=r)
        self.relay_waiting = Gauge(
            "pitledger_relay_waiting_seconds",
            "Seconds for which the next journal entry has been waiting to be published; 0 if none is waiting",
            registry=r,
        )
        self.relayed = Counter("pitledger_relay_published", "Journal entries published", registry=r)
        self.checkpoint_age = Gauge(
            "pitledger_checkpoint_age_seconds", "Seconds since the last checkpoint was signed", registry=r
        )
        self.witness_age = Gauge(
            "pitledger_witness_age_seconds",
            "Seconds since the latest checkpoints of all shards last had the witness's cosignature",
            ["witness"],
            registry=r,
        )
        self.verification_ok = Gauge(
            "pitledger_verification_ok",
            "1 if the last verification of the journal found no problem, else 0 (also before the first one)",
            registry=r,
        )
        self.verification_age = Gauge(
            "pitledger_verification_age_seconds", "Seconds since the journal was last verified", registry=r
        )
        self.scrub_age = Gauge(
            "pitledger_scrub_age_seconds",
            "Seconds since the last re-verification of all journal entries ended",
            registry=r,
        )
        self.scrub_pass = Gauge(
            "pitledger_scrub_pass_seconds",
            "Expected duration of a re-verification of all journal entries, in seconds",
            registry=r,
        )
        self.rederivation_problems = Gauge(
            "pitledger_rederivation_problems",
            "Mismatches between the journal and its last re-derivation from the topics",
            registry=r,
        )
        self.rederivation_age = Gauge(
            "pitledger_rederivation_age_seconds",
            "Seconds since the last re-derivation of the journal from its topics ended",
            registry=r,
        )
        self.rederived = Counter(
            "pitledger_rederived_entries", "Journal entries re-derived from their topics", registry=r
        )
        self.projection_differences = Gauge(
            "pitledger_projection_differences",
            "Rows of the read model that differ from the journal, and inapplicable entries, at the last comparison",
            registry=r,
        )
        self.projection_age = Gauge(
            "pitledger_projection_age_seconds",
            "Seconds since the changed rows of the read model were last compared with the journal",
            registry=r,
        )
        self.projection_pass_age = Gauge(
            "pitledger_projection_pass_age_seconds",
            "Seconds since all rows of the read model were last compared with the journal",
            registry=r,
        )
        self.projection_pass = Gauge(
            "pitledger_projection_pass_seconds",
            "Expected duration of a comparison of all rows of the read model, in seconds",
            registry=r,
        )
        self.http_requests = Counter(
            "pitledger_http_requests",
            "HTTP requests, by method, route and status",
            ["method", "route", "status"],
            registry=r,
        )
        self.http_seconds = Histogram(
            "pitledger_http_request_seconds",
            "Duration of HTTP requests, in seconds",
            ["route"],
            buckets=_SECONDS,
            registry=r,
        )
        self.http_connections = Gauge("pitledger_http_connections", "Open HTTP connections", registry=r)
        self.http_cut_off = Counter(
            "pitledger_http_cut_off", "Clients disconnected for exceeding a limit, by reason", ["why"], registry=r
        )
        self.log_lines_left_out = LINES_LEFT_OUT
        r.register(LINES_LEFT_OUT)
        self.callers_refused = Counter(
            "pitledger_callers_refused",
            "Requests refused because their token is missing or invalid, by reason",
            ["why"],
            registry=r,
        )
        self.identity_keys_age = Gauge(
            "pitledger_identity_keys_age_seconds",
            "Seconds since the OpenID provider's keys were last read; 0 without a provider",
            registry=r,
        )
        self.equipment_overdue = Gauge(
            "pitledger_equipment_overdue", "Equipment checks overdue at open tables, by check", ["check"], registry=r
        )
        self.variances_open = Gauge(
            "pitledger_variances_open",
            "Unresolved variances of the last seven days on unsealed gaming days, by level",
            ["level"],
            registry=r,
        )
        self.variances_open_sealed = Gauge(
            "pitledger_variances_open_sealed",
            "Unresolved variances of the last seven days on sealed gaming days, by level",
            ["level"],
            registry=r,
        )
        self.variances_open_old = Gauge(
            "pitledger_variances_open_old",
            "Variances of unsealed gaming days still unresolved after 24 hours, by level",
            ["level"],
            registry=r,
        )
        self.days_unsealed = Gauge(
            "pitledger_days_unsealed", "Gaming days of the last 35 that have ended but are not sealed", registry=r
        )
        self.days_restated = Gauge(
            "pitledger_days_restated", "Sealed gaming days changed by entries of the last 24 hours", registry=r
        )
        self.statistical_alarms = Gauge(
            "pitledger_statistical_alarms_open", "Unresolved statistical alarms", registry=r
        )
        self.promotions_overdue = Gauge(
            "pitledger_promotions_overdue",
            "Accounts with promotional money whose write-off is overdue",
            registry=r,
        )
        self.filings_late = Gauge(
            "pitledger_filings_late",
            "Filings past their due date: not sent, or rejected and not filed again although still due",
            registry=r,
        )
        self.currency_reports_unprepared = Gauge(
            "pitledger_currency_reports_unprepared",
            "Currency transaction reports not yet prepared and late or due within three days, or to be corrected",
            registry=r,
        )
        self.slips_in_transit = Gauge(
            "pitledger_slips_in_transit", "Fills and credits in transit", ["slip"], registry=r
        )
        self.slips_in_transit_age = Gauge(
            "pitledger_slips_in_transit_age_seconds",
            "Seconds since the oldest fill or credit in transit was sent",
            ["slip"],
            registry=r,
        )
        self.slips_not_received = Gauge(
            "pitledger_slips_not_received",
            "Fill and credit slips of past gaming days that are neither received nor void",
            ["slip"],
            registry=r,
        )
        self.slip_numbers_missing = Gauge(
            "pitledger_slip_numbers_missing",
            "Serial numbers of slips not accounted for, by series",
            ["series", "slip"],
            registry=r,
        )
        self.day_handle, self.day_win, self.day_drop, self.day_rake, self.day_rounds, self.day_results = (
            Gauge(f"pitledger_gaming_day_{name}", f"{help_}, current gaming day", _TABLE, registry=money)
            for name, help_ in _OF_TABLES.items()
        )
        self.day_contests = Gauge(
            "pitledger_gaming_day_contest_cents",
            "Contest revenue in cents, current gaming day: approved entry fees less prizes",
            ["property"],
            registry=money,
        )
        for reason in Reason:
            self.refused.labels(reason.value)

    def begin_topic(self, topic: str, limits: Collection[str] = ()) -> None:
        """Initialize the counters of a topic, and of its plausibility limits, to zero.

        A rate over a counter that first appears with a record would miss that record.
        """
        dropped = (self.duplicates, self.fenced, self.skipped)
        for counter in (*dropped, self.quarantined, self.conflicts, self.not_authentic, self.not_from_device):
            counter.labels(topic)
        for limit in limits:
            for outcome in ("refused", "flagged"):
                self.implausible.labels(topic, limit, outcome)
