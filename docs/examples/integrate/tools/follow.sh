#!/bin/sh
# Follow the settlements with Kafka's own tool until a round is settled: sh follow.sh BJ-02-0005
#
# The tool ends when nothing came for five seconds. Where the round was not among what came, it reads again, a minute long.
set -eu

settlement_of() {
    awk -v round_id="$1" '
        function field(name,   found) { # the first member of this name
            if (!match($0, "\"" name "\": *(\"[^\"]*\"|[0-9]+)")) return ""
            found = substr($0, RSTART, RLENGTH)
            sub("\"" name "\": *", "", found)
            gsub("\"", "", found)
            return found
        }
        function sum(name,   rest, found, cents) {
            rest = $0
            while (match(rest, "\"" name "\": *-?[0-9]+")) {
                found = substr(rest, RSTART, RLENGTH)
                rest = substr(rest, RSTART + RLENGTH)
                sub("\"" name "\": *", "", found)
                cents += found
            }
            return cents + 0
        }
        {
            source = field("source"); sequence = field("sequence") + 0
            if (sequence <= last[source]) next # it was seen before
            if (sequence > last[source] + 1) {
                print source ": " last[source] + 1 " is missing before " sequence
                exit code = 2
            }
            last[source] = sequence
        }
        !settled && field("type") == "settlement.posted" && field("round_id") == round_id {
            handle = sum("handle_cents"); payout = sum("payout_cents")
            settled = sprintf("%s revision %d: handle %d, payout %d, win %d cents", \
                round_id, field("revision"), handle, payout, handle - payout)
        }
        END {
            if (code) exit code
            if (!settled) exit 1
            print settled
        }'
}

until=$(($(date +%s) + 60))
while [ "$(date +%s)" -lt "$until" ]; do
    code=0
    kafka-console-consumer.sh --bootstrap-server "$KAFKA_BOOTSTRAP_SERVERS" --topic settlements \
        --from-beginning --timeout-ms 5000 2>/dev/null | settlement_of "$1" || code=$?
    [ "$code" -eq 1 ] || exit "$code"
done
echo "$1 was not settled within a minute: look at \`pitledger quarantine list\`" >&2
exit 1
