// The inference worker without the page: the wire of `web/src/message.rs` (postcard), as far as drawing needs it.
// Before every message stands the identity of the build (`web/src/build.rs`): the worker tells its own with `ready`.
// Runs in the browser; a unit test of message.rs holds the same bytes.

const DRAW = 2;
const DEVICES = ["auto", "cpu", "webgpu"];
const REPLIES = ["ready", "stage", "truth", "model", "device", "members", "failed", "drawn", "later", "no-truth", "verified", "no-gpu", "reduced"];
const KINDS = ["CPU", "WebGPU"];
/** Bytes of an identity. */
const IDENTITY = 16;

/** The bytes of a request of `build` to draw `members` members of `model` from an input on `grid`. */
export function encodeDraw(build, { id, model, seed, members, device, grid }) {
  const text = new TextEncoder().encode(model);
  const numbers = [seed, members, DEVICES.indexOf(device), grid.length, ...grid];
  return Uint8Array.from([...build, DRAW, ...varint(id), ...varint(text.length), ...text, ...numbers.flatMap(varint)]);
}

/** What a reply says: `{ kind, run }`, with what drawing needs to know. */
export function decodeReply(bytes) {
  let at = IDENTITY;
  const number = () => {
    for (let value = 0, unit = 1; ; unit *= 128) {
      value += (bytes[at] & 127) * unit;
      if (bytes[at++] < 128) return value;
    }
  };
  const text = () => {
    const length = number();
    return new TextDecoder().decode(bytes.subarray(at, at + length));
  };
  const kind = REPLIES[number()];
  if (kind === "ready") return { kind, build: bytes.slice(0, IDENTITY) };
  const run = number();
  switch (kind) {
    case "device":
      return { kind, run, device: KINDS[number()] };
    case "failed":
    case "no-gpu":
      return { kind, run, sentence: text() };
    case "drawn":
      return { kind, run, drawn: number(), wanted: number() };
    default:
      return { kind, run };
  }
}

function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
}

/** A worker of the built page. */
export class Inference {
  #worker;
  #ready;
  #receive = () => {};
  #fail = () => {};
  #runs = 0;
  /** How many messages came. */
  heard = 0;
  /** How often the worker told its build. */
  introductions = 0;

  constructor(script) {
    this.#worker = new Worker(script);
    this.#ready = new Promise((ready) => {
      this.#worker.onmessage = ({ data }) => {
        this.heard += 1;
        // Plain numbers are the progress of the program's download.
        if (!Array.isArray(data)) return;
        const [bytes, ...fields] = data;
        const reply = decodeReply(bytes);
        if (reply.kind === "ready") {
          this.introductions += 1;
          ready(reply.build);
        }
        if (reply.run === this.#runs) this.#receive(reply, fields);
      };
    });
    this.#worker.onerror = (event) => this.#fail(new Error(event.message));
  }

  /** Asks as a page of another build would. */
  async askAs(build, request) {
    await this.#ready;
    this.#worker.postMessage([encodeDraw(new TextEncoder().encode(build), { id: 1, ...request }), new Float32Array(1)]);
  }

  /** Draws members: `{ device, members }`, the members one after the other. */
  async draw(request, input) {
    const build = await this.#ready;
    const id = ++this.#runs;
    return new Promise((done, fail) => {
      let device;
      const members = [];
      this.#fail = fail;
      this.#receive = (reply, fields) => {
        if (reply.kind === "device") {
          // On another device the members begin anew.
          device = reply.device;
          members.length = 0;
        }
        if (["failed", "no-gpu"].includes(reply.kind)) fail(new Error(reply.sentence));
        if (reply.kind !== "drawn") return;
        members.push(...fields[0]);
        if (reply.drawn === reply.wanted) done({ device, members });
      };
      const bytes = encodeDraw(build, { id, ...request });
      const field = Float32Array.from(input);
      this.#worker.postMessage([bytes, field], [bytes.buffer, field.buffer]);
    });
  }
}
