#!/bin/sh
# Send the example round with Kafka's own tool: sh send.sh BJ-02 5, the table and the next number of its stream.
set -eu
table="$1" sequence="$2"
source="/properties/riverside/tables/$table"
round_id="$(printf '%s-%04d' "$table" "$sequence")"
now="$(date +%s)"
at="$(date -u -d "@$now" +%Y-%m-%dT%H:%M:%SZ)"
day="$(TZ=America/New_York date -d "@$((now - 6 * 3600))" +%Y-%m-%d)" # the gaming day begins at six
round="$(tr -d '\n' <"$(dirname "$0")/../round.json")"

# One line a message: the key, a tab, the value.
printf '%s\t{"specversion":"1.0","id":"%s-%d","source":"%s","type":"round.completed","time":"%s","sequence":%d,"data":%s}\n' \
    "$source" "$table" "$sequence" "$source" "$at" "$sequence" \
    "{\"property\":\"riverside\",\"table\":\"$table\",\"game\":\"blackjack\",\"gaming_day\":\"$day\",\"opened_at\":\"$at\",\
\"closed_at\":\"$at\",\"round_id\":\"$round_id\",\"regulation\":\"pa-633a-2024\",\"round\":$round}" |
    kafka-console-producer.sh --bootstrap-server "$KAFKA_BOOTSTRAP_SERVERS" --topic table.events --sync \
        --producer-property enable.idempotence=true --producer-property acks=all \
        --property parse.key=true --property "key.separator=$(printf '\t')"
echo "$round_id sent to table.events"
