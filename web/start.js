// Starts the interface. Where it does not come, the reader gets a sentence, and a button that loads the page anew.
//
// This file has no hash in its name: a page from an old store finds it, also where the server has nothing else of that
// page's build any more. What it starts is in the table of the page.

const table = document.querySelector("meta[name=pno-files]")?.content ?? "";
const hashes = new Map(table.split(" ").map((row) => row.split("=")));
const file = (name) => `./${name.replace(/(?=\.[^.]*$)/, `-${hashes.get(name)}`)}`;

const isGone = (name) => fetch(name, { method: "HEAD", cache: "no-store" })
  .then(({ status }) => status === 404 || status === 410, () => false);

function fail(sentence) {
  const words = document.querySelector("[data-loading]");
  // An interface that has begun tells its faults itself.
  if (!words) return;
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.testid = "reload";
  button.textContent = "Reload";
  button.addEventListener("click", () => location.reload());
  words.setAttribute("role", "alert");
  words.replaceChildren(`${sentence} `, button);
}

async function start() {
  if (typeof WebAssembly !== "object") {
    fail("This page computes in your browser by WebAssembly, which this browser does not have, or does not allow.");
    return;
  }
  try {
    const { default: init } = await import(file("ui.js"));
    await init({ module_or_path: file("ui_bg.wasm") });
  } catch (error) {
    // Every build has another program, and not every one another script around it.
    fail(await isGone(file("ui_bg.wasm"))
      ? "This page is of an older build, which the server has no more. Reload it to go on; the settings are kept."
      : `The interface could not be loaded (${error.message ?? error}). Reload the page to try again.`);
    throw error;
  }
}

start();
