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
    throw new DoesNotHold(`${what} is not base64`);
  }
  // As the services read it: another spelling of the same bytes is no proof document.
  requireThat(btoa(text) === base64, `${what} is not base64 in its canonical form`);
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
    requireThat(at + 8 <= record.length, `field ${fields.length + 1} of the record is cut off`);
    const length = view.getBigUint64(at);
    const start = at + 8;
    requireThat(length <= BigInt(record.length - start), `field ${fields.length + 1} of the record is cut off`);
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
    requireThat(last !== 0n, `${path.length} hashes are too many for entry ${index + 1} of ${size}`);
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
  requireThat(last === 0n, `${path.length} hashes are too few for entry ${index + 1} of ${size}`);
  return node;
}

/** Returns the text and the signatures of a signed note (https://c2sp.org/signed-note). */
function splitNote(note) {
  const at = note.lastIndexOf("\n\n");
  requireThat(at >= 0 && note.endsWith("\n"), "the checkpoint is not a signed note");
  const lines = note.slice(at + 2, -1).split("\n");
  requireThat(lines.length <= SIGNATURES_MAX, "the checkpoint has too many signatures");
  const signatures = lines.map((line) => {
    const found = /^— (\S+) (\S+)$/.exec(line);
    requireThat(found, "a signature line of the checkpoint is malformed");
    const bytes = bytesOf(found[2], `the signature of ${found[1]}`);
    return { name: found[1], id: hex(bytes.subarray(0, KEY_ID_BYTES)), bytes: bytes.subarray(KEY_ID_BYTES) };
  });
  return { text: note.slice(0, at + 1), signatures };
}

/** Returns the checkpoint in the text of a note: origin, size, root. */
function checkpointOf(text) {
  const [origin, size, root, ...rest] = text.split("\n");
  requireThat(origin && rest.length >= 1 && /^(0|[1-9][0-9]{0,18})$/.test(size), "the checkpoint is malformed");
  const bytes = bytesOf(root, "the root of the checkpoint");
  requireThat(bytes.length === HASH_BYTES, "the root of the checkpoint is no hash");
  return { origin, size: BigInt(size), root: bytes };
}

/** Returns a verifier key: `<name>+<key id>+<base64 of algorithm and public key>`. */
async function verifierOf(line) {
  const found = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(line);
  requireThat(found, `the public key “${line}” is not <name>+<key id>+<key>`);
  const [, name, id, encoded] = found;
  const key = bytesOf(encoded, `the public key of ${name}`);
  requireThat(key.length === 33 && key[0] === ED25519, `the public key of ${name} is not an Ed25519 key`);
  const own = await sha256(joined(encoder.encode(`${name}\n`), key));
  requireThat(hex(own.subarray(0, KEY_ID_BYTES)) === id, `the key id ${id} is not that of the key of ${name}`);
  return { name, id, key: key.subarray(1) };
}

async function ed25519Holds(key, signature, message) {
  let imported;
  try {
    imported = await crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
  } catch (error) {
    if (error.name === "DataError") throw new DoesNotHold("the public key is no point of the curve");
    throw new CannotCheck(
      "this browser cannot verify Ed25519 signatures; use a newer one, or: pitledger verify-proof",
    );
  }
  return crypto.subtle.verify({ name: "Ed25519" }, imported, signature, message);
}

async function signersOf(note, text, signatures, keys) {
  const lines = keys.split("\n").map((line) => line.trim()).filter(Boolean);
  requireThat(lines.length, "no public key is given: ask the operator for it, on a path that nobody can tamper with");
  const known = await Promise.all(lines.map(verifierOf));
  const names = [];
  for (const { name, id, bytes } of signatures) {
    const verifier = known.find((one) => one.name === name && one.id === id);
    if (!verifier) continue;
    const holds = await ed25519Holds(verifier.key, bytes, encoder.encode(text));
    requireThat(holds, `the signature of ${name} does not match: the checkpoint was altered`);
    names.push(name);
  }
  requireThat(names.length, "the checkpoint is signed by none of the public keys that are given");
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
      const detail = error instanceof DoesNotHold || error instanceof CannotCheck ? error.message : `malformed (${error.message})`;
      steps.push({ name, outcome, detail });
      return false;
    }
  }

  if (!globalThis.crypto?.subtle) {
    steps.push({
      name: "Cryptography",
      outcome: "unknown",
      detail: "this browser offers none on this page (it does over HTTPS); use: pitledger verify-proof",
    });
    return steps;
  }
  let record, path, note, checkpoint, hash;
  const readable = await step("Proof document", () => {
    requireThat(proof !== null && typeof proof === "object" && proof.format === FORMAT, `the format is not ${FORMAT}`);
    requireThat(Number.isSafeInteger(proof.index) && proof.index >= 0, "the index is not a whole number");
    requireThat(Array.isArray(proof.path) && proof.path.length <= PATH_MAX, "the path is not a list of hashes");
    record = bytesOf(proof.record, "the record");
    path = proof.path.map((one) => bytesOf(one, "a hash of the path"));
    requireThat(path.every((one) => one.length === HASH_BYTES), "a hash of the path has another length");
    note = splitNote(String(proof.checkpoint));
    checkpoint = checkpointOf(note.text);
    requireThat(BigInt(proof.index) < checkpoint.size, "the checkpoint does not cover the entry");
    return "complete and readable";
  });
  if (!readable) return steps;

  await step("Entry", async () => {
    hash = await sha256(record);
    const fields = fieldsOf(record);
    requireThat(fields.length >= 15 && decoder.decode(fields[0]) === ENTRY, "the record is not that of an entry");
    const [shard, seq] = [decoder.decode(fields[2]), decoder.decode(fields[3])];
    requireThat(seq === String(proof.index + 1), `the record is entry ${seq}, the proof is of entry ${proof.index + 1}`);
    requireThat(checkpoint.origin.endsWith(`/${shard}`), `the record is of ${shard}, the checkpoint of another log`);
    if (expected.seq) requireThat(seq === expected.seq, `the record is entry ${seq}, this page shows ${expected.seq}`);
    if (expected.shardName) requireThat(shard === expected.shardName, `the record is of ${shard}, this page shows ${expected.shardName}`);
    return `entry ${seq} of ${shard}, ${record.length} bytes`;
  });
  await step("Entry hash", () => {
    const found = hex(hash);
    if (expected.hash) requireThat(found === expected.hash, `${found} is not the hash that this page shows`);
    return `SHA-256 of the record is ${found}`;
  });
  if (expected.previous) {
    await step("Previous hash", () => {
      const found = hex(fieldsOf(record)[1] ?? new Uint8Array());
      requireThat(found === expected.previous, `${found} is not the previous hash that this page shows`);
      return found;
    });
  }
  await step("Merkle path", async () => {
    const root = await rootOf(hash, proof.index, checkpoint.size, path);
    requireThat(same(root, checkpoint.root), `leads to root ${hex(root)}, the checkpoint has ${hex(checkpoint.root)}`);
    return `${path.length} hashes lead to root ${hex(root)}`;
  });
  await step("Checkpoint signature", async () => {
    const names = await signersOf(note, note.text, note.signatures, keys);
    const covers = names.some((name) => checkpoint.origin === name || checkpoint.origin.startsWith(`${name}/`));
    requireThat(covers, `signed by ${names.join(", ")}, which speaks for other logs than ${checkpoint.origin}`);
    return `${checkpoint.origin} with ${checkpoint.size} entries, signed by ${names.join(", ")}`;
  });
  return steps;
}

/** Returns what the steps come to, in a sentence. */
export function conclusionOf(steps) {
  if (steps.some((step) => step.outcome === "fails")) return "✗ Not proven: something was altered, or is not what it should be.";
  if (steps.some((step) => step.outcome === "unknown")) return "Not fully checked: what could be checked holds.";
  return "✓ Proven: this entry is in the journal that was signed.";
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
  status.textContent = "Verifying…";
  button.disabled = true;
  try {
    const answer = await fetch(button.dataset.proof, { headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    const { hash, previous, seq, shardName } = button.dataset;
    show(status, await verify(await answer.json(), keys, { hash, previous, seq, shardName }));
  } catch (error) {
    status.textContent = `✗ The proof could not be read: ${error.message}.`;
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
