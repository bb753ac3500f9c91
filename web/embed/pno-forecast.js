// <pno-forecast experiment="ks" method="pno-d" view="std" seed="7"></pno-forecast>: a live forecast in any page.
//
//   <script src="https://HOST/pno-forecast.js" defer></script>
//
// Attributes are the keys of the page's address, one to one; `embed` (full, figure, bare) and `start` (view, click) are
// those of the figure. `base` names another folder than that of this script. What stands inside the element is shown
// until the figure is there, and where it never comes.
//
// Events: pno-ready (the first forecast is complete), pno-change (settings, stage, the numbers at the point),
// pno-error (a sentence). Their `detail` is what the figure says, see README.md.
// Methods: set({ view: "mean", seed: null }), run(), pause(). Properties: state, probe.

(() => {
  const VERSION = 1;
  const KEYS = [
    "experiment", "method", "method2", "seed", "members", "steps", "view", "lead", "at", "channel", "member", "quantile",
    "level", "threshold", "play", "device", "map", "theme", "model", "model2", "cells", "brush", "paint", "grid",
    "painting", "nudge", "case", "surface", "eye", "observe", "finer",
  ];
  const FRAME_KEYS = ["embed", "start"];
  const EVENTS = { ready: "pno-ready", change: "pno-change", error: "pno-error" };
  // A figure that has said nothing for so long is not coming.
  const PATIENCE_MS = 20_000;
  const [LOWEST, HIGHEST] = [80, 6000];

  // A page from a file or in a sandbox has no origin that could be named, and a sandbox takes it from its figures, too.
  const NOWHERE = location.origin === "null";

  const PLACE = "pno-figure";

  // The build puts the names with hashes here.
  const STILLS = { darcy: "./stills/darcy.webp", ks: "./stills/ks.webp", sswe: "./stills/sswe.webp" };

  // Every snippet brings this script along: the first is enough.
  if (customElements.get("pno-forecast")) return;
  const script = document.currentScript;
  const folder = script?.src ? new URL("./", script.src).href : null;

  // A style sheet made by script is allowed where a page forbids styles in its text.
  const style = new CSSStyleSheet();
  style.replaceSync(`
    :host { display: block; position: relative; height: 26rem; min-width: 0; overflow: hidden; }
    :host([hidden]) { display: none; }
    :host([embed="bare"]) { height: 17rem; }
    :host([embed="full"]) { height: 60rem; }
    .there slot[name] { visibility: visible; }
    slot[name] { visibility: hidden; }
    .there .instead { visibility: hidden; }
    .instead { display: grid; place-content: center; justify-items: center; gap: 0.6rem; height: 100%; text-align: center; font: 0.9rem/1.4 system-ui, sans-serif; }
    img { max-width: 100%; max-height: 18rem; min-height: 0; }
  `);

  class PnoForecast extends HTMLElement {
    static observedAttributes = [...KEYS, ...FRAME_KEYS];

    #frame = null;
    #box = null;
    #heard = false;
    #listening = false;
    #waiting = [];
    #changed = new Set();
    #timer = 0;
    #state = {};
    #probe = null;
    #receive = (event) => this.#hear(event);

    /** All settings by name, as the figure last told them. */
    get state() { return { ...this.#state }; }

    /** The numbers at the point, as the figure last told them. */
    get probe() { return this.#probe; }

    /** Sets attributes; null takes one back. What is not named stays as the visitor has it. */
    set(state) {
      for (const [key, value] of Object.entries(state)) {
        if (!KEYS.includes(key)) throw new TypeError(`pno-forecast has no setting "${key}"; known are ${KEYS.join(", ")}`);
        if (value === null || value === undefined) this.removeAttribute(key);
        else if (this.getAttribute(key) === String(value)) this.attributeChangedCallback(key, null, String(value));
        else this.setAttribute(key, String(value));
      }
    }

    /** Begins where a click is awaited, and goes on after pause(). */
    run() { this.#say({ type: "run" }); }

    /** Rests until run(). */
    pause() { this.#say({ type: "pause" }); }

    connectedCallback() {
      addEventListener("message", this.#receive);
      if (!this.shadowRoot) {
        this.attachShadow({ mode: "open" }).adoptedStyleSheets = [style];
      }
      this.#open();
    }

    disconnectedCallback() {
      removeEventListener("message", this.#receive);
      clearTimeout(this.#timer);
      this.#frame?.remove();
      this.#frame = null;
    }

    attributeChangedCallback(key, _before, value) {
      if (!this.#frame) return;
      if (FRAME_KEYS.includes(key)) {
        this.#open();
        return;
      }
      // Several attributes that change at once are one message.
      if (this.#changed.size === 0) queueMicrotask(() => this.#send());
      this.#changed.add(value === null ? null : key);
    }

    /** Folder of the figure, with a slash at its end. */
    get #base() {
      const named = this.getAttribute("base");
      return named ? new URL(named.replace(/\/?$/, "/"), document.baseURI).href : folder;
    }

    #query(keys) {
      const query = new URLSearchParams();
      for (const key of keys) {
        if (this.hasAttribute(key)) query.set(key, this.getAttribute(key));
      }
      return query;
    }

    #send() {
      const keys = [...this.#changed];
      this.#changed.clear();
      // What is taken back is what it was at the beginning, which only the whole says.
      const whole = keys.includes(null);
      const query = this.#query(whole ? KEYS : keys);
      this.#say({ type: whole ? "show" : "set", query: String(query) });
    }

    #say(message) {
      if (!this.#frame) return;
      // The first script of the figure hears `run` and nothing else.
      if (!this.#listening && message.type !== "run") {
        this.#waiting.push(message);
        return;
      }
      const target = NOWHERE ? "*" : new URL(this.#frame.src).origin;
      this.#frame.contentWindow?.postMessage({ pno: VERSION, ...message }, target);
    }

    #open() {
      const base = this.#base;
      this.#heard = false;
      this.#listening = false;
      this.#waiting = [];
      clearTimeout(this.#timer);
      this.#frame?.remove();
      const box = document.createElement("div");
      const instead = document.createElement("div");
      const place = document.createElement("slot");
      place.name = PLACE;
      instead.className = "instead";
      box.style.height = "100%";
      box.append(instead, place);
      this.#box = box;
      this.shadowRoot.replaceChildren(box);
      this.#fallBack(instead);
      if (!base) {
        this.#error("pno-forecast does not know where its figure is: load its script with a src, or set the attribute base.");
        return;
      }
      const query = this.#query([...KEYS, ...FRAME_KEYS]);
      query.set("host", NOWHERE ? "*" : location.origin);
      const frame = document.createElement("iframe");
      frame.title = this.getAttribute("title") || this.textContent.trim().slice(0, 120) || "A live ensemble forecast";
      frame.loading = "lazy";
      // Its own origin, so that figures share a worker; nothing else that it does not need.
      frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-downloads");
      frame.src = `${base}embed.html?${query}`;
      // A figure that is there has said hello by now, or does so at once; a missing one is loaded as well, as an error.
      frame.addEventListener("load", () => {
        setTimeout(() => this.#heard || this.#picture(base), 500);
        this.#timer = setTimeout(() => {
          if (!this.#heard) this.#error(`The figure at ${base} does not answer.`);
        }, PATIENCE_MS);
      });
      Object.assign(frame.style, { position: "absolute", inset: "0", width: "100%", height: "100%", border: "0", margin: "0", visibility: "inherit" });
      frame.slot = PLACE;
      this.#frame = frame;
      // Not into the shadow: frames there cannot find each other, and figures share a worker.
      this.append(frame);
    }

    /** What stands there until the figure does: what the author put into the element, or a sentence. */
    #fallBack(instead) {
      const authored = [...this.childNodes].some((node) => node.nodeType === Node.ELEMENT_NODE || node.textContent.trim() !== "");
      const words = document.createElement("p");
      words.textContent = "A live forecast belongs here. It needs its server and WebAssembly.";
      instead.append(authored ? document.createElement("slot") : words);
    }

    /** Puts a still picture above the sentence, where the author has put nothing there. */
    #picture(base) {
      const words = this.#box.querySelector("p");
      const experiment = this.getAttribute("experiment") ?? "ks";
      if (!words || !this.isConnected || !Object.hasOwn(STILLS, experiment)) return;
      const image = document.createElement("img");
      image.alt = "A still picture of such a forecast";
      image.src = new URL(STILLS[experiment], base).href;
      image.addEventListener("error", () => image.remove());
      words.before(image);
    }

    #hear({ source, origin, data }) {
      const frame = this.#frame;
      if (!frame || source !== frame.contentWindow) return;
      if (origin !== new URL(frame.src).origin && !(NOWHERE && origin === "null")) return;
      if (data?.pno !== VERSION || typeof data.type !== "string") return;
      this.#heard = true;
      switch (data.type) {
        case "hello":
          this.#box.className = "there";
          break;
        case "listening":
          this.#listening = true;
          for (const message of this.#waiting.splice(0)) this.#say(message);
          break;
        case "size":
          if (this.getAttribute("embed") === "full" && Number.isFinite(data.height)) {
            this.style.height = `${Math.min(HIGHEST, Math.max(LOWEST, Math.ceil(data.height)))}px`;
          }
          break;
        case "ready":
        case "change":
          this.#state = { ...data.state };
          this.#probe = data.probe ?? null;
          this.#tell(data);
          break;
        case "error":
          this.#error(String(data.sentence).slice(0, 2000));
          break;
        default:
      }
    }

    #tell({ type, query, state, stage, probe }) {
      this.dispatchEvent(new CustomEvent(EVENTS[type], { bubbles: true, detail: { query, state, stage, probe: probe ?? null } }));
    }

    #error(sentence) {
      this.dispatchEvent(new CustomEvent(EVENTS.error, { bubbles: true, detail: { sentence } }));
    }
  }

  customElements.define("pno-forecast", PnoForecast);
})();
