"""The journal: entries and postings in hash-chained shards, and the SQL that writes, reads and verifies them."""
