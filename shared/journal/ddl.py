"""What the database itself enforces on a journal: append-only, dense, balanced, one way; and what a service may do.

Migrations run these statements as the owner. The service works under a role that does not own its journal.
"""

from collections.abc import Iterator

_APPEND_ONLY = ("entries", "postings", "accounts", "checkpoints")

_GRANTS = {
    "entries": "SELECT, INSERT",
    "postings": "SELECT, INSERT",
    "accounts": "SELECT, INSERT",
    "checkpoints": "SELECT, INSERT",
    "shards": "SELECT, INSERT, UPDATE",
    "sources": "SELECT, INSERT, UPDATE",
    "gaps": "SELECT, INSERT, UPDATE, DELETE",
    "relay": "SELECT, INSERT, UPDATE",
    "quarantine": "SELECT, INSERT",
}


def journal_rules(schema: str) -> Iterator[str]:
    """The functions and triggers of a journal in `schema`."""
    yield f"""
        CREATE FUNCTION {schema}.append_only() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION '%.% is append-only: % is refused', TG_TABLE_SCHEMA, TG_TABLE_NAME, TG_OP
                USING ERRCODE = 'integrity_constraint_violation',
                      HINT = 'correct a fact by recording a new entry';
        END $$"""
    for table in _APPEND_ONLY:
        yield f"""
            CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {schema}.{table}
            FOR EACH STATEMENT EXECUTE FUNCTION {schema}.append_only()"""

    yield f"""
        CREATE FUNCTION {schema}.entries_are_dense() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE wrong record;
        BEGIN
            SELECT a.shard, a.first, a.last, a.n, s.next_seq INTO wrong
            FROM (SELECT shard, min(seq) AS first, max(seq) AS last, count(*) AS n FROM added GROUP BY shard) a
            LEFT JOIN {schema}.shards s USING (shard)
            WHERE s.next_seq IS NULL OR a.first <> s.next_seq OR a.n <> a.last - a.first + 1
            LIMIT 1;
            IF FOUND THEN
                RAISE EXCEPTION 'shard % expects entry %, not % to % (% entries)',
                    wrong.shard, wrong.next_seq, wrong.first, wrong.last, wrong.n
                    USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN NULL;
        END $$"""
    yield f"""
        CREATE TRIGGER dense AFTER INSERT ON {schema}.entries REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION {schema}.entries_are_dense()"""

    yield f"""
        CREATE FUNCTION {schema}.postings_balance() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE wrong record;
        BEGIN
            SELECT shard, seq, sum(cents) AS off INTO wrong
            FROM added GROUP BY shard, seq HAVING sum(cents) <> 0 LIMIT 1;
            IF FOUND THEN
                RAISE EXCEPTION 'the postings of entry %/% do not sum to zero: off by % cents',
                    wrong.shard, wrong.seq, wrong.off USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            SELECT a.shard, a.first, s.next_seq INTO wrong
            FROM (SELECT shard, min(seq) AS first, max(seq) AS last FROM added GROUP BY shard) a
            LEFT JOIN {schema}.shards s USING (shard)
            WHERE s.next_seq IS NULL OR a.first < s.next_seq
               OR a.last > (SELECT max(e.seq) FROM {schema}.entries e WHERE e.shard = a.shard)
            LIMIT 1;
            IF FOUND THEN
                RAISE EXCEPTION 'postings may only be added together with their entry (entry %/%)',
                    wrong.shard, wrong.first USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            SELECT p.account INTO wrong
            FROM (SELECT DISTINCT account FROM added) p LEFT JOIN {schema}.accounts a USING (account)
            WHERE a.account IS NULL LIMIT 1;
            IF FOUND THEN
                RAISE EXCEPTION 'no such account: %', wrong.account USING ERRCODE = 'foreign_key_violation';
            END IF;
            RETURN NULL;
        END $$"""
    yield f"""
        CREATE TRIGGER balance AFTER INSERT ON {schema}.postings REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION {schema}.postings_balance()"""

    yield f"""
        CREATE FUNCTION {schema}.shards_go_forward() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NEW.shard <> OLD.shard OR NEW.name <> OLD.name
               OR NEW.next_offset < OLD.next_offset OR NEW.next_seq < OLD.next_seq
               OR (NEW.next_seq = OLD.next_seq AND NEW.head <> OLD.head) THEN
                RAISE EXCEPTION 'shard % goes forward only', OLD.shard
                    USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            IF NEW.next_seq > OLD.next_seq AND NOT EXISTS (
                SELECT FROM {schema}.entries
                WHERE shard = NEW.shard AND seq = NEW.next_seq - 1 AND hash = NEW.head) THEN
                RAISE EXCEPTION 'the head of shard % is not the hash of entry %', NEW.shard, NEW.next_seq - 1
                    USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN NEW;
        END $$"""
    yield f"""
        CREATE TRIGGER forward BEFORE UPDATE ON {schema}.shards
        FOR EACH ROW EXECUTE FUNCTION {schema}.shards_go_forward()"""
    yield f"""
        CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON {schema}.shards
        FOR EACH STATEMENT EXECUTE FUNCTION {schema}.append_only()"""


def journal_grants(schema: str, role: str) -> Iterator[str]:
    """What the service's role may do with its journal: read, append, advance; nothing else."""
    yield f"GRANT USAGE ON SCHEMA {schema} TO {role}"
    for table, privileges in _GRANTS.items():
        yield f"GRANT {privileges} ON {schema}.{table} TO {role}"
    yield f"GRANT UPDATE (resolved_at) ON {schema}.quarantine TO {role}"
