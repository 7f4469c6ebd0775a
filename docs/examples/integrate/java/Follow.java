// Follows the settlements with Apache Kafka's Java client until a round is settled, and prints its settlement.
//
// It reads the topic from its beginning and keeps the streams in memory: a service keeps them with what it derives, in
// one transaction of its database, as python/follow.py does.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

public class Follow {
    private static final String TOPIC = "settlements";
    private final Map<String, Integer> last = new HashMap<>();

    public static void main(String[] arguments) throws Exception {
        System.out.println(new Follow().settlementOf(arguments[0]));
    }

    private String settlementOf(String roundId) throws Exception {
        var json = new ObjectMapper();
        Map<String, Object> settings = Map.of(
            "bootstrap.servers", System.getenv("KAFKA_BOOTSTRAP_SERVERS"),
            "enable.auto.commit", false);
        var deadline = Instant.now().plusSeconds(60);
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer())) {
            var partitions = consumer.partitionsFor(TOPIC).stream()
                .map(found -> new TopicPartition(TOPIC, found.partition()))
                .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (Instant.now().isBefore(deadline)) {
                for (var record : consumer.poll(Duration.ofSeconds(1))) {
                    var event = json.readTree(record.value());
                    if (isNext(event)
                            && event.get("type").asText().equals("settlement.posted")
                            && event.get("data").get("round_id").asText().equals(roundId)) {
                        return settlement(roundId, event.get("data"));
                    }
                }
            }
        }
        throw new IllegalStateException(roundId + " was not settled within a minute: `pitledger quarantine list`");
    }

    /** Returns whether an event is the next of its stream; one that was seen before is not. Throws where one is missing. */
    private boolean isNext(JsonNode event) {
        var source = event.get("source").asText();
        var sequence = event.get("sequence").asInt();
        var expected = last.getOrDefault(source, 0) + 1;
        if (sequence > expected) {
            throw new IllegalStateException("%s: %d is missing before %d".formatted(source, expected, sequence));
        }
        if (sequence == expected) {
            last.put(source, sequence);
        }
        return sequence == expected;
    }

    private static String settlement(String roundId, JsonNode data) {
        long handle = 0;
        long payout = 0;
        for (var total : data.get("totals")) {
            handle += total.path("handle_cents").asLong(); // what is 0 is left out
            payout += total.path("payout_cents").asLong();
        }
        return "%s revision %d: handle %d, payout %d, win %d cents"
            .formatted(roundId, data.get("revision").asInt(), handle, payout, handle - payout);
    }
}
