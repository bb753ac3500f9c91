// The first script of a figure: a still picture, until somebody looks at it; then the interface.
// Nothing large is loaded before that, and nothing at all for visitors who save data or motion, until they ask.

(() => {
  const VERSION = 1;
  const keys = new URLSearchParams(location.search);
  const root = document.documentElement;
  const one = (key, ...known) => (known.includes(keys.get(key)) ? keys.get(key) : known[0]);
  root.dataset.embed = one("embed", "figure", "full", "bare");
  root.dataset.theme = one("theme", "auto", "light", "dark");

  // Messages go to nobody, or to the page of the origin that the address names; the interface checks it the same way.
  const host = keys.get("host");
  const framed = parent !== window;
  const tell = (message) => {
    if (!framed || !host) return;
    try {
      parent.postMessage({ pno: VERSION, ...message }, host);
    } catch {
      // What is no origin hears nothing.
    }
  };
  tell({ type: "hello" });

  // Files have the hash of their contents in their names: the page has the table.
  const table = document.querySelector("meta[name=pno-files]")?.content ?? "";
  const hashes = new Map(table.split(" ").map((row) => row.split("=")));
  const file = (name) => `./${hashes.has(name) ? name.replace(/(?=\.[^.]*$)/, `-${hashes.get(name)}`) : name}`;

  const still = document.querySelector(".still");
  const image = still.querySelector("img");
  const words = still.querySelector("p");
  const experiment = one("experiment", "ks", "darcy", "sswe", "era5");
  // Not every experiment has a picture of its own.
  image.addEventListener("error", () => { image.src = file("preview.png"); }, { once: true });
  if (experiment !== "ks") image.src = file(`stills/${experiment}.webp`);

  const say = (sentence) => { words.textContent = sentence; };
  const fail = (sentence) => {
    say(sentence);
    tell({ type: "error", sentence });
  };
  if (typeof WebAssembly !== "object") {
    fail("This forecast is computed in the browser, but this one has no WebAssembly: here is a still picture.");
    return;
  }

  const queries = ["(prefers-reduced-motion: reduce)", "(prefers-reduced-data: reduce)"];
  const saves = navigator.connection?.saveData || queries.some((query) => matchMedia(query).matches);
  const asks = saves || one("start", "view", "click") === "click";
  let begun = false;
  async function begin() {
    if (begun) return;
    begun = true;
    still.querySelector("button")?.remove();
    say("Loading …");
    try {
      const { default: start } = await import(new URL(file("ui.js"), document.baseURI));
      await start({ module_or_path: new URL(file("ui_bg.wasm"), document.baseURI) });
    } catch (error) {
      begun = false;
      // Every build has another program, and not every one another script around it.
      if (await isGone(file("ui_bg.wasm"))) {
        fail("The live forecast was updated while this page was open: here is a still picture.");
        offer("Reload", () => location.reload());
        return;
      }
      fail(`The live forecast could not be loaded (${error.message ?? error}): here is a still picture.`);
      offer("Try again");
    }
  }
  // Files of another build have other names: where the server has this one no more, only a new table helps.
  const isGone = (name) => fetch(name, { method: "HEAD", cache: "no-store" })
    .then(({ status }) => status === 404 || status === 410, () => false);
  function offer(label, press = begin) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.testid = "run";
    button.textContent = label;
    button.addEventListener("click", press);
    still.querySelector("figcaption").append(button);
  }
  addEventListener("message", ({ source, origin, data }) => {
    const known = source === parent && (host === "*" || origin === host);
    if (framed && known && data?.pno === VERSION && data.type === "run") begin();
  });

  if (asks) {
    say("A live forecast, computed on your machine when you say so.");
    offer("Run");
    return;
  }
  say("A live forecast, computed on your machine.");
  new IntersectionObserver((entries, observer) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    begin();
  }).observe(still);
})();
