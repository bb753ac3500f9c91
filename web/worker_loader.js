// The worker's first script: loads the inference program, tells the page how many bytes have come,
// and turns a failure into an error that the page sees (a rejected promise would stay inside the worker).

const STEP = 1 << 18;

// The build puts the names with hashes here.
const PROGRAM = "./worker.js";
const CODE = "./worker_bg.wasm";

// A page in a strict sandbox starts this script from a text of its own, which has no folder, and names it.
const BASE = self.PNO_BASE ?? "";

importScripts(BASE + PROGRAM);

async function load() {
  const response = await fetch(BASE + CODE);
  if (!response.ok) throw new Error(`worker_bg.wasm cannot be had, the server answered ${response.status}`);
  let bytes = 0;
  let told = 0;
  const counter = new TransformStream({
    transform(part, out) {
      bytes += part.length;
      if (bytes - told >= STEP) postMessage((told = bytes));
      out.enqueue(part);
    },
  });
  const headers = { "content-type": "application/wasm" };
  await wasm_bindgen({ module_or_path: new Response(response.body.pipeThrough(counter), { headers }) });
}

// A lost device answers no more: the page is told by plain text, and begins anew on the CPU.
if (globalThis.GPUAdapter) {
  const request = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...wishes) {
    const device = await request.apply(this, wishes);
    device.lost.then(({ message, reason }) => postMessage(String(message || reason || "no reason given")));
    return device;
  };
}

load().catch((error) => setTimeout(() => { throw error; }));
