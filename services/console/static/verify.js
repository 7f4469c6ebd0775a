// Verifies the proof of an entry in the browser, with WebCrypto and nothing of the server but the proof and its keys.
//
// What `verify_document` in shared/journal/proof.py does: record -> entry hash -> leaf -> root -> signed checkpoint.

const FORMAT = "pitledger-inclusion-proof-v1";
const ENTRY = "pitledger-entry-v1";
const ED25519 = 1;
const KEY_ID_BYTES = 4;
const HASH_BYTES = 32;
const PATH_MAX = 63;
const SIGNATURES_MAX = 100;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

let words;

/** Returns a text of the page's words with what it speaks of put in; `name` is that below `verify` in words.yaml. */
function say(name, parts = {}) {
  words ??= JSON.parse(document.getElementById("verify-words").textContent);
  return words[name].replace(/\{(\w+)\}/g, (_, part) => String(parts[part]));
}

/** Returns a text about a number of things: its form for one, or that for any other number, with the `count`. */
function counted(name, count, parts) {
  return say(`${name}.${Number(count) === 1 ? "one" : "other"}`, { count, ...parts });
}

/** A step that does not hold; its message says why, in words for people. */
class DoesNotHold extends Error {}

/** Something that this browser cannot do: it proves nothing, either way. */
class CannotCheck extends Error {}

function requireThat(holds, otherwise) {
  if (!holds) throw new DoesNotHold(otherwise);
}

function bytesOf(base64, what) {
  let text;
  try {
    text = atob(base64);
  } catch {
    throw new DoesNotHold(say("base64", { what }));
  }
  // As the services read it: another spelling of the same bytes is no proof document.
  requireThat(btoa(text) === base64, say("base64_form", { what }));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function same(one, other) {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** Returns the fields of a record: each is its length in eight bytes, big-endian, and then its bytes. */
export function fieldsOf(record) {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  const fields = [];
  let at = 0;
  while (at < record.length) {
    requireThat(at + 8 <= record.length, say("entry.cut", { field: fields.length + 1 }));
    const length = view.getBigUint64(at);
    const start = at + 8;
    requireThat(length <= BigInt(record.length - start), say("entry.cut", { field: fields.length + 1 }));
    at = start + Number(length);
    fields.push(record.subarray(start, at));
  }
  return fields;
}

/** Returns the root that a path leads to from a leaf (RFC 9162, section 2.1.3.2). */
async function rootOf(leaf, index, size, path) {
  let node = await sha256(joined(Uint8Array.of(0), leaf));
  let position = BigInt(index);
  let last = size - 1n;
  for (const sibling of path) {
    requireThat(last !== 0n, counted("path.long", path.length, { entry: index + 1, size }));
    if (position & 1n || position === last) {
      node = await sha256(joined(Uint8Array.of(1), sibling, node));
      while (position && !(position & 1n)) {
        position >>= 1n;
        last >>= 1n;
      }
    } else {
      node = await sha256(joined(Uint8Array.of(1), node, sibling));
    }
    position >>= 1n;
    last >>= 1n;
  }
  requireThat(last === 0n, counted("path.short", path.length, { entry: index + 1, size }));
  return node;
}

/** Returns the text and the signatures of a signed note (https://c2sp.org/signed-note). */
function splitNote(note) {
  const at = note.lastIndexOf("\n\n");
  requireThat(at >= 0 && note.endsWith("\n"), say("checkpoint.note"));
  const lines = note.slice(at + 2, -1).split("\n");
  requireThat(lines.length <= SIGNATURES_MAX, say("checkpoint.signatures"));
  const signatures = lines.map((line) => {
    const found = /^— (\S+) (\S+)$/.exec(line);
    requireThat(found, say("checkpoint.signature"));
    const bytes = bytesOf(found[2], say("what.signature", { name: found[1] }));
    return { name: found[1], id: hex(bytes.subarray(0, KEY_ID_BYTES)), bytes: bytes.subarray(KEY_ID_BYTES) };
  });
  return { text: note.slice(0, at + 1), signatures };
}

/** Returns the checkpoint in the text of a note: origin, size, root. */
function checkpointOf(text) {
  const [origin, size, root, ...rest] = text.split("\n");
  requireThat(origin && rest.length >= 1 && /^(0|[1-9][0-9]{0,18})$/.test(size), say("checkpoint.malformed"));
  const bytes = bytesOf(root, say("what.root"));
  requireThat(bytes.length === HASH_BYTES, say("checkpoint.root"));
  return { origin, size: BigInt(size), root: bytes };
}

/** Returns a verifier key: `<name>+<key id>+<base64 of algorithm and public key>`. */
async function verifierOf(line) {
  const found = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(line);
  requireThat(found, say("key.form", { line }));
  const [, name, id, encoded] = found;
  const key = bytesOf(encoded, say("what.key", { name }));
  requireThat(key.length === 33 && key[0] === ED25519, say("key.kind", { name }));
  const own = await sha256(joined(encoder.encode(`${name}\n`), key));
  requireThat(hex(own.subarray(0, KEY_ID_BYTES)) === id, say("key.id", { id, name }));
  return { name, id, key: key.subarray(1) };
}

async function ed25519Holds(key, signature, message) {
  let imported;
  try {
    imported = await crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
  } catch (error) {
    if (error.name === "DataError") throw new DoesNotHold(say("key.point"));
    throw new CannotCheck(say("no_ed25519"));
  }
  return crypto.subtle.verify({ name: "Ed25519" }, imported, signature, message);
}

async function signersOf(note, text, signatures, keys) {
  const lines = keys.split("\n").map((line) => line.trim()).filter(Boolean);
  requireThat(lines.length, say("key.none"));
  const known = await Promise.all(lines.map(verifierOf));
  const names = [];
  for (const { name, id, bytes } of signatures) {
    const verifier = known.find((one) => one.name === name && one.id === id);
    if (!verifier) continue;
    const holds = await ed25519Holds(verifier.key, bytes, encoder.encode(text));
    requireThat(holds, say("checkpoint.altered", { name }));
    names.push(name);
  }
  requireThat(names.length, say("checkpoint.unknown"));
  return names;
}

/**
 * Verifies a proof document (parsed JSON) against public keys (text, one a line) and what the page says of the entry.
 *
 * `expected` may hold `hash`, `previous` (hex), `seq` (text) and `shardName`. Returns the steps: `name`, `outcome`
 * (`holds`, `fails`, `unknown`) and `detail`.
 */
export async function verify(proof, keys, expected = {}) {
  const steps = [];
  async function step(name, work) {
    try {
      steps.push({ name, outcome: "holds", detail: (await work()) ?? "" });
      return true;
    } catch (error) {
      const outcome = error instanceof CannotCheck ? "unknown" : "fails";
      const isOwn = error instanceof DoesNotHold || error instanceof CannotCheck;
      const detail = isOwn ? error.message : say("malformed", { why: error.message });
      steps.push({ name, outcome, detail });
      return false;
    }
  }

  if (!globalThis.crypto?.subtle) {
    steps.push({
      name: say("step.cryptography"),
      outcome: "unknown",
      detail: say("no_cryptography"),
    });
    return steps;
  }
  let record, path, note, checkpoint, hash;
  const readable = await step(say("step.document"), () => {
    const isProof = proof !== null && typeof proof === "object" && proof.format === FORMAT;
    requireThat(isProof, say("document.format", { format: FORMAT }));
    requireThat(Number.isSafeInteger(proof.index) && proof.index >= 0, say("document.index"));
    requireThat(Array.isArray(proof.path) && proof.path.length <= PATH_MAX, say("document.path"));
    record = bytesOf(proof.record, say("what.record"));
    path = proof.path.map((one) => bytesOf(one, say("what.path_hash")));
    requireThat(path.every((one) => one.length === HASH_BYTES), say("document.path_hash"));
    note = splitNote(String(proof.checkpoint));
    checkpoint = checkpointOf(note.text);
    requireThat(BigInt(proof.index) < checkpoint.size, say("document.covers"));
    return say("document.holds");
  });
  if (!readable) return steps;

  await step(say("step.entry"), async () => {
    hash = await sha256(record);
    const fields = fieldsOf(record);
    requireThat(fields.length >= 15 && decoder.decode(fields[0]) === ENTRY, say("entry.format"));
    const [shard, seq] = [decoder.decode(fields[2]), decoder.decode(fields[3])];
    requireThat(seq === String(proof.index + 1), say("entry.index", { seq, proven: proof.index + 1 }));
    requireThat(checkpoint.origin.endsWith(`/${shard}`), say("entry.log", { shard }));
    if (expected.seq) requireThat(seq === expected.seq, say("entry.seq", { seq, shown: expected.seq }));
    const ofShard = !expected.shardName || shard === expected.shardName;
    requireThat(ofShard, say("entry.shard", { shard, shown: expected.shardName }));
    return counted("entry.holds", record.length, { seq, shard });
  });
  await step(say("step.hash"), () => {
    const found = hex(hash);
    if (expected.hash) requireThat(found === expected.hash, say("hash.shown", { hash: found }));
    return say("hash.holds", { hash: found });
  });
  if (expected.previous) {
    await step(say("step.previous"), () => {
      const found = hex(fieldsOf(record)[1] ?? new Uint8Array());
      requireThat(found === expected.previous, say("hash.previous", { hash: found }));
      return found;
    });
  }
  await step(say("step.path"), async () => {
    const root = await rootOf(hash, proof.index, checkpoint.size, path);
    requireThat(same(root, checkpoint.root), say("path.root", { found: hex(root), root: hex(checkpoint.root) }));
    return counted("path.holds", path.length, { root: hex(root) });
  });
  await step(say("step.signature"), async () => {
    const names = await signersOf(note, note.text, note.signatures, keys);
    const covers = names.some((name) => checkpoint.origin === name || checkpoint.origin.startsWith(`${name}/`));
    requireThat(covers, say("checkpoint.other_log", { names: names.join(", "), origin: checkpoint.origin }));
    return counted("checkpoint.holds", checkpoint.size, { origin: checkpoint.origin, names: names.join(", ") });
  });
  return steps;
}

/** Returns what the steps come to, in a sentence. */
export function conclusionOf(steps) {
  if (steps.some((step) => step.outcome === "fails")) return say("not_proven");
  if (steps.some((step) => step.outcome === "unknown")) return say("not_checked");
  return say("proven");
}

const SIGNS = { holds: "✓", fails: "✗", unknown: "?" };

function show(status, steps) {
  const list = document.createElement("ol");
  for (const { name, outcome, detail } of steps) {
    const item = document.createElement("li");
    item.className = `proof-${outcome}`;
    item.textContent = `${SIGNS[outcome]} ${name}: ${detail}`;
    list.append(item);
  }
  const sentence = document.createElement("p");
  sentence.className = "proof-conclusion";
  sentence.textContent = conclusionOf(steps);
  status.replaceChildren(sentence, list);
}

async function verifyHere(button) {
  const status = document.getElementById(button.getAttribute("aria-controls"));
  const keys = document.getElementById(button.dataset.keys).value;
  status.textContent = say("verifying");
  button.disabled = true;
  try {
    const answer = await fetch(button.dataset.proof, { headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(say("answered", { status: answer.status }));
    const { hash, previous, seq, shardName } = button.dataset;
    show(status, await verify(await answer.json(), keys, { hash, previous, seq, shardName }));
  } catch (error) {
    status.textContent = say("unreadable", { why: error.message });
  } finally {
    button.disabled = false;
  }
}

// Without this script the buttons would do nothing, so they are hidden until it runs.
function reveal() {
  for (const button of document.querySelectorAll("button[data-proof]")) button.hidden = false;
}

// Asked at the document, so that buttons which come later work too.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-proof]");
  if (button) verifyHere(button);
});
document.addEventListener("htmx:load", reveal);
reveal();
