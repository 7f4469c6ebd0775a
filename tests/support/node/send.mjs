// Sends a record of each key to a topic with @platformatic/kafka, and prints where each went:
// `node send.mjs BROKER TOPIC default|compatibility KEY…`
import { compatibilityPartitioner, Producer, stringSerializers } from '@platformatic/kafka'

const [broker, topic, which, ...keys] = process.argv.slice(2)
const partitioner = which === 'compatibility' ? { partitioner: compatibilityPartitioner } : {}
const producer = new Producer({ clientId: 'pit', bootstrapBrokers: [broker], serializers: stringSerializers, ...partitioner })
for (const key of keys) {
  const { offsets } = await producer.send({ messages: [{ topic, key, value: which }] })
  console.log(`${key} ${offsets[0].partition}`)
}
await producer.close()
