"""Whatever decodes a text: what somebody else wrote is read by what refuses a member that is there twice.

The other places are listed here with whose text it is that they read; a new one is in no list.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOADERS = {("json", "load"), ("json", "loads"), ("yaml", "load"), ("yaml", "load_all"), ("yaml", "safe_load")}
METHODS = {"model_validate_json", "validate_json", "Decoder", "JSONDecoder"}
REFUSING = "object_pairs_hook="
"""A call that has it reads each object with a look at its members."""

LOOKED_AT: dict[str, str] = {
    "shared/contracts/json_text.py read_json": "which looks at the members",
    "shared/contracts/json_text.py read_model": "which looks at the members",
    "shared/contracts/json_text.py": "whose text is written again and compared",
    "shared/contracts/topic_reader.py Reader._decoded": "after which the reader looks at the members",
    "shared/contracts/topic_reader.py Reader._older": "after which the reader looks at the members",
    "shared/contracts/topic_reader.py Reader._passed": "after which the reader looks at the members",
    "shared/contracts/upcasting.py upcast_event": "after which the reader looks at the members",
    "shared/contracts/tables.py _document": "to say what is wrong with a record that is refused",
    "shared/contracts/envelope.py position": "to say where a record stood that is refused",
    "shared/runtime/http/access.py _require_readable": "after a look at the members",
    "shared/runtime/http/pagination.py Listing.after": "a cursor, which is a list",
    "shared/runtime/tracing/traces.py": "for a trace, which decides nothing",
    "shared/rules/packaged.py parsed": "with the loader that refuses",
    "services/cli/documents.py _parse": "with the loader that refuses",
}
"""What others wrote, and is looked at there or elsewhere, or in which no object decides anything."""

OWN: dict[str, str] = {
    "services/cli/stack/forking.py": "the parent process",
    "services/cli/stack/forking.py _obey": "the parent process",
    "services/cli/client.py Client._json": "a service",
    "services/cli/codegen/contracts.py broken": "the generator of the schemas",
    "services/cli/demo/demo.py _documents": "another command of the same command line",
    "services/cli/spark/rounds.py CountHits.__call__": "an archive, whose files are those of its manifests",
    "services/cli/spark/rounds.py DeriveAgain._compiled": "an archive, whose files are those of its manifests",
    "services/cli/spark/rounds.py PlayBySeat.__call__": "an archive, whose files are those of its manifests",
    "services/cli/spark/rounds.py ReversedRevisions.__call__": "an archive, whose files are those of its manifests",
    "services/cli/spark/rounds.py SettleAgain.__call__": "an archive, whose files are those of its manifests",
    "services/cli/spark/rounds.py _differences": "an archive, whose files are those of its manifests",
    "services/cli/spark/submissions.py archived_submissions": "an archive, whose files are those of its manifests",
    "services/cli/archive/verified.py verified_at": "the archive's own commands, and it is no evidence",
    "services/cli/books/export.py _is_of": "a journal, under its hash",
    "services/cli/stack/fork_server.py ForkServer._listen": "the child process",
    "services/cli/operations/intake_folder.py Folder.read": "this command, earlier",
    "services/cli/operations/intake_lines.py _texts": "the generator of the schemas",
    "services/cli/operations/schema_registry.py _schema": "the generator of the schemas",
    "services/cli/codegen/releases.py Release.schemas": "the archive of releases",
    "services/cli/codegen/releases.py broken": "the archive of releases",
    "services/cli/codegen/releases.py releases": "the archive of releases",
    "services/cli/stack/running_stack.py RunningStack._not_ready": "a service",
    "services/cli/books/verify_proof.py entry_of": "a journal, proven",
    "services/console/begun.py Begun._opened": "the console, in a cookie that it sealed",
    "services/console/charts/_worker.py serve": "the parent process",
    "services/console/felt/readings.py _all": "this repository",
    "services/console/operations.py Operations._read": "a service",
    "services/console/services.py _json": "a service",
    "services/console/services.py _problem": "a service",
    "services/paytable_registry/domain/paybacks.py _counted": "the registry, of a submission",
    "services/paytable_registry/domain/submissions.py _of_text": "the registry, in its table",
    "services/paytable_registry/manifest.py message_key": "the registry, of its fact",
    "services/paytable_registry/queries/submissions.py export": "the registry, of a proof",
    "services/reporting/read_model/evidence.py _counts_of_text": "reporting, in its table",
    "services/reporting/read_model/reading.py _read": "reporting, in its table",
    "services/reporting/delivery.py open_manifest": "reporting, under its signature",
    "services/reporting/domain/carried_evidence.py alarms_of_text": "reporting, in its table",
    "services/reporting/domain/carried_evidence.py evidence_of_text": "reporting, in its table",
    "services/reporting/domain/house_edges.py returns_of_text": "reporting, in its table",
    "services/round_settlement/api.py routes.prove": "round settlement, of a proof",
    "services/round_settlement/domain/corrections.py _record": "a journal",
    "services/round_settlement/domain/what_if.py Alternative.settle": "a journal",
    "services/round_settlement/minimum_routes.py _add": "a journal",
    "services/round_settlement/queries/rounds.py _recorded": "a journal",
    "services/wagering_accounts/api/identities.py _identity": "the wagering accounts, sealed",
    "shared/contracts/catalog.py decode_fact": "a journal",
    "shared/contracts/upcasting.py upcast_data": "a journal",
    "shared/journal/verification_bookmark.py open_mark": "a verifier, under its signature",
    "shared/local/_parent_watchdog.py": "the parent process",
    "shared/runtime/commands/quarantine_requests.py request_whole": "a service, in its table",
    "shared/runtime/ingest/subscription.py KafkaTopics.note": "librdkafka, of itself",
    "shared/runtime/database.py create_engine.become": "PostgreSQL, of its own column",
    "shared/runtime/rederivation/entry_comparison.py _both_refused": "a journal",
    "shared/runtime/rederivation/derivation.py _quarantined_for": "a journal",
    "shared/runtime/rederivation/replay_state.py ReplayState.get": "this command, earlier",
    "shared/runtime/rederivation/published_entries.py Reconciliation.add": "a journal",
    "shared/runtime/release_attestation.py Release.opened": "whoever released it, under a signature",
    "shared/runtime/release_attestation.py compare": "whoever released it, under its hash",
    "shared/runtime/release_attestation.py is_checkout": "the installer",
    "shared/runtime/rows.py documents_of": "a service, in its table",
    "shared/runtime/projections/standing_copy.py StandingCopy.open": "a service, under its signature",
    "shared/runtime/projections/standing_copy.py StreamsRead.load": "a service, in its copy",
    "shared/runtime/audit/outside_evidence.py read_floors": "a verifier, earlier",
    "shared/runtime/http/command_routes.py _Endpoint.__call__": "the engine of commands",
    "shared/runtime/http/quarantine_routes.py _Replaying.do": "the engine of commands",
    "shared/runtime/http/quarantine_routes.py _request": "a service, in its table",
    "infra/verifier.py verify_entry": "a journal, proven",
}
"""What this product wrote itself, and who of it."""

NOT_OURS: dict[str, str] = {
    "services/cli/operations/schema_registry.py Registry._answer": "what a schema registry says of what it was sent",
    "services/cli/operations/schema_registry.py _why": "why a schema registry refuses",
}
"""What others say and no book depends on: it is told to whoever asked."""


def test_every_decoder_is_known() -> None:
    """Each reads what this product wrote, or is looked at; each of the lists is of what there is."""
    listed = LOOKED_AT | OWN | NOT_OURS
    assert len(listed) == len(LOOKED_AT) + len(OWN) + len(NOT_OURS)
    assert sorted(listed) == sorted(set(decoders()))


def decoders() -> Iterator[str]:
    """Where a text is decoded without a look at the members of its objects: file and function."""
    for room in ("services", "shared", "infra"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for scope in _decoding(ast.parse(path.read_text()), ""):
                yield f"{path.relative_to(ROOT)} {scope}".strip()


def _decoding(node: ast.AST, scope: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        within = f"{scope}.{child.name}".strip(".") if isinstance(child, _SCOPES) else scope
        if _is_decoder(child):
            yield within
        if not (isinstance(child, ast.Call) and REFUSING in ast.unparse(child)):
            yield from _decoding(child, within)


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _is_decoder(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id=module), attr=name) if (module, name) in LOADERS:
            return True
        case ast.Attribute(attr="from_json") | ast.Name(id="from_json"):
            return True
        case ast.Attribute(attr=name) if name in METHODS:
            return True
        case ast.Call(func=ast.Attribute(attr="json"), args=[]):
            return True
    return False
