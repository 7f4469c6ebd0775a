// Follow reads the settlements with franz-go until a round is settled, and prints its settlement.
//
// It reads the topic from its beginning and keeps the streams in memory: a service keeps them with what it derives, in
// one transaction of its database, as python/follow.py does.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// event is what is needed of a message; whatever else it has is passed over.
type event struct {
	Source   string `json:"source"`
	Sequence int    `json:"sequence"`
	Type     string `json:"type"`
	Data     struct {
		RoundID  string `json:"round_id"`
		Revision int    `json:"revision"`
		Totals   []struct {
			HandleCents int64 `json:"handle_cents"` // what is 0 is left out
			PayoutCents int64 `json:"payout_cents"`
		} `json:"totals"`
	} `json:"data"`
}

// streams are the last sequences by source.
type streams map[string]int

// next says whether an event is the next of its stream; one that was seen before is not. It ends where one is missing.
func (last streams) next(found event) bool {
	expected := last[found.Source] + 1
	if found.Sequence > expected {
		log.Fatalf("%s: %d is missing before %d", found.Source, expected, found.Sequence)
	}
	if found.Sequence == expected {
		last[found.Source] = expected
	}
	return found.Sequence == expected
}

func main() {
	roundID, last := os.Args[1], streams{}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(strings.Split(os.Getenv("KAFKA_BOOTSTRAP_SERVERS"), ",")...),
		kgo.ConsumeTopics("settlements"), // without a group: all partitions, from the beginning
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchMaxWait(500*time.Millisecond),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	context, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		fetched := client.PollFetches(context)
		if err := fetched.Err(); err != nil {
			log.Fatalf("%s was not settled within a minute (%v): look at `pitledger quarantine list`", roundID, err)
		}
		for _, record := range fetched.Records() {
			var found event
			if err := json.Unmarshal(record.Value, &found); err != nil {
				log.Fatal(err)
			}
			if last.next(found) && found.Type == "settlement.posted" && found.Data.RoundID == roundID {
				var handle, payout int64
				for _, total := range found.Data.Totals {
					handle, payout = handle+total.HandleCents, payout+total.PayoutCents
				}
				fmt.Printf("%s revision %d: handle %d, payout %d, win %d cents\n",
					roundID, found.Data.Revision, handle, payout, handle-payout)
				return
			}
		}
	}
}
