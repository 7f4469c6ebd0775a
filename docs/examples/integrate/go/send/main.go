// Send sends the example round with franz-go: the table, the next number of its stream, and the file of the round.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // the zone of the casino, wherever this runs

	"github.com/twmb/franz-go/pkg/kgo"
)

func main() {
	table, round := os.Args[1], must(os.ReadFile(os.Args[3]))
	sequence := must(strconv.Atoi(os.Args[2]))
	now := time.Now().In(must(time.LoadLocation("America/New_York")))
	roundID := fmt.Sprintf("%s-%04d", table, sequence)
	source := "/properties/riverside/tables/" + table
	event := must(json.Marshal(map[string]any{
		"specversion": "1.0",
		"id":          fmt.Sprintf("%s-%d", table, sequence),
		"source":      source,
		"type":        "round.completed",
		"time":        now.Format(time.RFC3339Nano),
		"sequence":    sequence,
		"data": map[string]any{
			"property":   "riverside",
			"table":      table,
			"game":       "blackjack",
			"gaming_day": now.Add(-6 * time.Hour).Format(time.DateOnly), // it begins at six
			"opened_at":  now.Format(time.RFC3339Nano),
			"closed_at":  now.Format(time.RFC3339Nano),
			"round_id":   roundID,
			"regulation": "pa-633a-2024",
			"round":      json.RawMessage(round),
		},
	}))

	// Idempotent, with acks from all, and Java's choice of the partition by the key: all of it by default.
	client := must(kgo.NewClient(
		kgo.SeedBrokers(strings.Split(os.Getenv("KAFKA_BOOTSTRAP_SERVERS"), ",")...),
		kgo.RecordDeliveryTimeout(30*time.Second),
	))
	defer client.Close()
	kept := must(client.ProduceSync(context.Background(), &kgo.Record{
		Topic:   "table.events",
		Key:     []byte(source),
		Value:   event,
		Headers: []kgo.RecordHeader{{Key: "content-type", Value: []byte("application/cloudevents+json")}},
	}).First())
	fmt.Printf("%s sent to %s/%d, offset %d\n", roundID, kept.Topic, kept.Partition, kept.Offset)
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
