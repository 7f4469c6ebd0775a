// Sends the example round with Apache Kafka's Java client: the table, the next number of its stream, and the round's file.

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

public class Send {
    public static void main(String[] arguments) throws Exception {
        var table = arguments[0];
        var sequence = Integer.parseInt(arguments[1]);
        var round = Files.readString(Path.of(arguments[2]));
        var roundId = "%s-%04d".formatted(table, sequence);
        var source = "/properties/riverside/tables/" + table;
        var now = ZonedDateTime.now(ZoneId.of("America/New_York"));
        var at = now.format(DateTimeFormatter.ISO_OFFSET_DATE_TIME);
        var gamingDay = now.minusHours(6).toLocalDate(); // it begins at six
        var event = """
            {"specversion": "1.0", "id": "%s-%d", "source": "%s", "type": "round.completed", "time": "%s",
             "sequence": %d, "data": {"property": "riverside", "table": "%s", "game": "blackjack",
             "gaming_day": "%s", "opened_at": "%s", "closed_at": "%s", "round_id": "%s",
             "regulation": "pa-633a-2024", "round": %s}}
            """.formatted(table, sequence, source, at, sequence, table, gamingDay, at, at, roundId, round);
        Map<String, Object> settings = Map.of(
            "bootstrap.servers", System.getenv("KAFKA_BOOTSTRAP_SERVERS"),
            "enable.idempotence", true,
            "acks", "all");
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            var record = new ProducerRecord<>("table.events", source, event);
            record.headers().add("content-type", "application/cloudevents+json".getBytes(UTF_8));
            var kept = producer.send(record).get(); // throws where the broker did not take it: send the same bytes again
            System.out.printf("%s sent to %s/%d, offset %d%n", roundId, kept.topic(), kept.partition(), kept.offset());
        }
    }
}
