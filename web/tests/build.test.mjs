// One build: files are called by their contents, page and worker believe only their own build, and a fault of either
// is told, with a way to start again.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { complaints } from "./axe.mjs";
import { elsewhere, figures, LISTEN, told } from "./embed-page.mjs";
import { ExplorerPage } from "./explorer-page.mjs";
import { built, DIST, launch, open, serve } from "./harness.mjs";
import { until } from "./waiting.mjs";

const FEW = "?experiment=ks&members=2&device=cpu";
const OTHER = "0123456789abcdef";

let site;
let host;
let browser;

before(async () => {
  site = await serve();
  host = await elsewhere();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await site?.close();
  await host?.close();
});
afterEach(() => site.restore());

async function visit(query, work, { from = browser, ...options } = {}) {
  const page = await open(from, `${site.url}${query}`, options);
  try {
    return await work(new ExplorerPage(page), page);
  } finally {
    await page.close();
  }
}

/** A figure of the site in somebody's page. */
async function embedded(work) {
  const body = `${LISTEN}<script src="${site.url}pno-forecast.js" defer></script>
    <pno-forecast experiment="ks" members="2" device="cpu" view="std" seed="12"></pno-forecast>`;
  const page = await open(browser, host.show(body), { others: [site.url] });
  try {
    const [figure] = await figures(page);
    return await work(figure, page);
  } finally {
    await page.close();
  }
}

describe("the files of the page", () => {
  const ENTRIES = ["embed.html", "index.html", "pno-forecast.js", "start.js"];

  /** FNV-1a in 64 bits, as the build has it. */
  function hash(bytes) {
    let value = 0xcbf29ce484222325n;
    for (const byte of bytes) value = ((value ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
    return value.toString(16).padStart(16, "0");
  }

  test("but the entries have the hash of their contents in their names", async () => {
    const files = (await readdir(DIST, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const names = files.map(({ parentPath, name }) => relative(DIST, join(parentPath, name)).replaceAll("\\", "/"));
    const plain = names.filter((name) => !/-[0-9a-f]{16}\.[a-z]+$/.test(name) && basename(name) !== "NOTICE");
    assert.deepEqual(plain.sort(), ENTRIES);
    const hashed = names.filter((name) => !plain.includes(name) && basename(name) !== "NOTICE");
    for (const name of hashed) {
      const bytes = await readFile(join(DIST, name));
      // The build itself checks the large ones.
      if (bytes.length < 100_000) assert.ok(name.includes(`-${hash(bytes)}.`), name);
    }
  });

  test("are found through the table of the page, which is that of the figures", async () => {
    const table = async (page) => (await readFile(join(DIST, page), "utf8")).match(/name="pno-files" content="([^"]+)"/)[1];
    const found = await table("index.html");
    assert.equal(await table("embed.html"), found);
    for (const row of found.split(" ")) assert.ok(existsSync(built(row.split("=")[0])), row);
    for (const name of ["ui.js", "worker_bg.wasm", "models/index.json", "models/ks-pno-d.pno", "cases/index.json"]) {
      assert.ok(found.includes(`${name}=`), name);
    }
  });

  test("keep the addresses that links know: a shipped model by its plain name", async () => {
    await visit(`${FEW}&model=models/ks-pno-r.pno`, async (explorer, page) => {
      await explorer.finish();
      assert.match(await explorer.at("model").innerText(), /PNO_R/);
      assert.ok(site.requests.includes("models/ks-pno-r.pno"));
      assert.deepEqual(page.problems, []);
    });
  });
});

describe("a worker of another build", () => {
  /** The loader of a worker that says it is of another build. */
  async function otherBuild() {
    const other = `const post = postMessage.bind(self);
      self.postMessage = (data, ...rest) => {
        if (Array.isArray(data)) data[0].set(new TextEncoder().encode("${OTHER}"));
        post(data, ...rest);
      };\n`;
    return other + (await readFile(built("worker_loader.js"), "utf8"));
  }

  test("is not believed: the page says that it was updated, and a reload helps", async () => {
    site.override("worker_loader.js", { body: await otherBuild() });
    await visit(`${FEW}&seed=31`, async (explorer, page) => {
      assert.match(await explorer.error(), /was updated .* different builds\. Reload it/);
      assert.equal(await explorer.stage(), "failed");
      assert.equal(await explorer.at("retry").count(), 0);
      assert.deepEqual(await complaints(page), []);
      site.restore();
      await explorer.at("reload").click();
      await explorer.at("error").waitFor({ state: "detached" });
      await explorer.finish();
      assert.equal(await explorer.at("seed").inputValue(), "31");
    });
  });

  test("is not believed by a figure either, which tells the page around it", async () => {
    site.override("worker_loader.js", { body: await otherBuild() });
    await embedded(async (figure, page) => {
      const { detail } = await told(page, "pno-error");
      assert.match(detail.sentence, /different builds/);
      await figure.at("reload").waitFor();
    });
  });

  test("that the server has no more is known for what it is: a reload helps, another try would not", async () => {
    await visit(`${FEW}&seed=31`, async (explorer) => {
      await explorer.finish();
      // The next deployment has files of other names; the page needs another worker.
      for (const name of ["worker_loader.js", "worker.js", "worker_bg.wasm"]) site.override(name, { status: 404 });
      await explorer.page.workers()[0].evaluate(() => setTimeout(() => { throw new Error("stopped by a test"); }));
      assert.match(await explorer.error(), /The inference worker stopped: .*stopped by a test/);
      await explorer.at("retry").click();
      await explorer.at("reload").waitFor();
      assert.match(await explorer.error(), /was updated while it was open/);
      assert.equal(await explorer.at("retry").count(), 0);
      site.restore();
      await explorer.at("reload").click();
      await explorer.at("error").waitFor({ state: "detached" });
      await explorer.finish();
      assert.equal(await explorer.at("seed").inputValue(), "31");
    });
  });

  test("that cannot be had because nobody answers is tried again", async () => {
    await visit(FEW, async (explorer, page) => {
      await explorer.finish();
      const loader = /worker_loader/;
      await page.context().route(loader, (route) => route.abort("internetdisconnected"));
      await page.workers()[0].evaluate(() => setTimeout(() => { throw new Error("stopped by a test"); }));
      await explorer.error();
      await explorer.at("retry").click();
      await until(async () => /could not be loaded/.test(await explorer.error()), "another sentence");
      await page.context().unroute(loader);
      await explorer.at("retry").click();
      await explorer.at("error").waitFor({ state: "detached" });
      await explorer.finish();
    });
  });

  test("is not waited for by a figure that was out of sight: it offers to be loaded anew", async () => {
    const body = `<div style="height:3000px"></div><iframe src="${site.url}embed.html${FEW}&amp;view=std" title="f" style="width:100%;height:400px"></iframe>`;
    const page = await open(browser, host.show(body), { others: [site.url] });
    try {
      const [figure] = await figures(page);
      await figure.has("still");
      for (const name of ["ui.js", "ui_bg.wasm"]) site.override(name, { status: 404 });
      await page.locator("iframe").scrollIntoViewIfNeeded();
      await figure.sentence(/was updated while this page was open/);
      site.restore();
      await figure.at("run").click();
      await figure.finish();
    } finally {
      await page.close();
    }
  });

  test("does nothing for a page that is not of its build, and tells its own", async () => {
    site.override("blank.html", { body: "<title>worker</title><link rel=icon href=data:,>" });
    site.override("wire.mjs", { body: await readFile(new URL("wire.mjs", import.meta.url)) });
    const page = await open(browser, `${site.url}blank.html`);
    try {
      const asked = site.requests.length;
      await page.evaluate(async ([loader, build]) => {
        const { Inference } = await import("./wire.mjs");
        window.inference = new Inference(`./${loader}`);
        const model = new URL("models/asked-for.pno", location.href).href;
        await window.inference.askAs(build, { model, seed: 1, members: 1, device: "cpu", grid: [4] });
      }, [relative(DIST, built("worker_loader.js")), OTHER]);
      const introductions = () => page.evaluate(() => window.inference.introductions);
      await until(async () => (await introductions()) >= 2, "the worker to tell its build again", { seen: introductions });
      assert.equal(await introductions(), 2);
      assert.ok(!site.requests.slice(asked).includes("models/asked-for.pno"));
    } finally {
      await page.close();
    }
  });
});

describe("a fault", () => {
  const WORDS = "a fault <b>made</b> by a test";

  /** Lets the interface of a page or frame panic. */
  async function fail(frame) {
    await frame.evaluate(async ([program, words]) => {
      const { failForTests } = await import(program);
      try {
        failForTests(words);
      } catch {
        // The program is gone.
      }
    }, [new URL(relative(DIST, built("ui.js")), site.url).href, WORDS]);
  }

  test("of the interface is shown with what happened, and the page starts again as it was", async () => {
    await visit(`${FEW}&seed=41`, async (explorer, page) => {
      await explorer.finish();
      await fail(page);
      assert.match(await explorer.at("fault-message").innerText(), /^a fault <b>made<\/b> by a test \(.*start\.rs:\d+\)$/);
      assert.equal(await page.locator("[data-testid=fault] b").count(), 0);
      assert.ok(await page.evaluate(() => document.querySelector("[data-testid=fault]").contains(document.activeElement)));
      assert.ok(await page.evaluate(() => document.getElementById("app").inert), "what is dead cannot be pressed");
      assert.deepEqual(await complaints(page), []);
      await fail(page);
      assert.equal(await explorer.at("fault").count(), 1);
      await explorer.at("fault-again").click();
      await explorer.at("fault").waitFor({ state: "detached" });
      await explorer.finish();
      assert.equal(await explorer.at("seed").inputValue(), "41");
    });
  });

  test("without a panic is shown as well: a memory that is full", async () => {
    const context = await browser.newContext();
    await context.addInitScript(`const load = WebAssembly.instantiateStreaming;
      WebAssembly.instantiateStreaming = async (...all) => {
        const made = await load.apply(WebAssembly, all);
        window.programMemory = made.instance.exports.memory;
        return made;
      };`);
    try {
      await visit(FEW, async (explorer, page) => {
        await explorer.finish();
        await page.evaluate(() => {
          const { programMemory: memory } = window;
          // All that a program can address, in steps that a small machine allows.
          for (let step = 1 << 14; step >= 1; step >>= 1) {
            try {
              for (;;) memory.grow(step);
            } catch {
              // No more of this size.
            }
          }
          const transfer = new DataTransfer();
          transfer.items.add(new File([new Uint8Array(100e6)], "large.npy"));
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
        });
        assert.match(await explorer.at("fault-message").innerText(), /^the browser ended it: ./);
        assert.ok(await page.evaluate(() => document.getElementById("app").inert));
        await explorer.at("fault-again").click();
        await explorer.at("fault").waitFor({ state: "detached" });
        await explorer.finish();
      }, { from: { newPage: () => context.newPage() } });
    } finally {
      await context.close();
    }
  });

  test("of somebody else's script is none of ours, and one of a program is, wherever it is reported", async () => {
    const harmless = [
      `throw new Error("unreachable")`, `Promise.reject(new Error("unreachable"))`, `Promise.reject("RuntimeError")`,
      `throw new RangeError("Maximum call stack size exceeded")`, `dispatchEvent(new ErrorEvent("error", { message: "RuntimeError: unreachable" }))`,
    ];
    const traps = [`throw new WebAssembly.RuntimeError("unreachable")`, `Promise.reject(new WebAssembly.RuntimeError("out of bounds"))`];
    const run = (page, file) => page.evaluate((file) => {
      // A file of the page's own server: its policy allows no other script.
      const element = document.createElement("script");
      element.src = `./${file}`;
      document.head.append(element);
      return new Promise((done) => { element.onload = done; }).then(() => new Promise((done) => setTimeout(done, 50)));
    }, file);
    for (const [at, trap] of traps.entries()) {
      site.override("harmless.js", { body: harmless.map((text) => `setTimeout(() => { ${text}; });`).join("\n") });
      site.override("trap.js", { body: `setTimeout(() => { ${trap}; });` });
      await visit(FEW, async (explorer, page) => {
        await explorer.at("seed").waitFor();
        await run(page, "harmless.js");
        await until(async () => page.problems.length >= harmless.length - 1, "the errors", { seen: async () => `${page.problems}` });
        assert.equal(await explorer.at("fault").count(), 0);
        await run(page, "trap.js");
        assert.equal(await explorer.at("fault-message").innerText(), `the browser ended it: ${["unreachable", "out of bounds"][at]}`);
      });
    }
  });

  test("that comes with the settings can be left: the address without them", async () => {
    await visit(`${FEW}&seed=41`, async (explorer, page) => {
      await explorer.at("seed").waitFor();
      await fail(page);
      await explorer.at("fault-defaults").focus();
      await page.keyboard.press("Enter");
      await page.waitForURL(site.url);
      await explorer.at("seed").waitFor();
      assert.equal(await explorer.at("seed").inputValue(), "7");
    });
  });

  test("of a figure stays inside it, is told to the page around, and default settings keep its frame", async () => {
    await embedded(async (figure, page) => {
      await figure.finish();
      await fail(figure.page);
      const { detail } = await told(page, "pno-error", "detail.sentence.includes('has stopped')");
      assert.match(detail.sentence, /a fault <b>made<\/b> by a test/);
      assert.equal(await page.getByTestId("fault").count(), 0, "not in the page around");
      await figure.at("fault-defaults").click();
      await figure.page.waitForURL(/embed\.html\?host=[^&]+$/);
    });
  });

  test("of the worker is told in a sentence, and the next try has a new worker", async () => {
    await visit(FEW, async (explorer, page) => {
      await explorer.finish();
      const [worker] = page.workers();
      await worker.evaluate((words) => {
        try {
          // eslint-disable-next-line no-undef
          wasm_bindgen.failForTests(words);
        } catch {
          // The program is gone.
        }
      }, "the network met a fault");
      assert.match(await explorer.error(), /The inference worker stopped: the network met a fault \(.*start\.rs:\d+\)\./);
      await explorer.at("retry").click();
      await explorer.at("error").waitFor({ state: "detached" });
      await explorer.finish();
      assert.equal(await explorer.number("score-members"), 2);
      assert.notEqual(page.workers()[0], worker);
    });
  });
});

describe("copying", () => {
  /** A visitor whose browser has another clipboard than ours. */
  async function visitor(script, work) {
    const context = await browser.newContext();
    await context.addInitScript(script);
    try {
      return await visit(FEW, work, { from: { newPage: () => context.newPage() } });
    } finally {
      await context.close();
    }
  }

  /** What Ctrl+V puts into a field. */
  async function pasted(page) {
    await page.evaluate(() => {
      const field = document.createElement("textarea");
      field.id = "pasted";
      document.body.append(field);
      field.focus();
    });
    await page.keyboard.press("ControlOrMeta+V");
    return page.evaluate(() => {
      const field = document.getElementById("pasted");
      field.remove();
      return field.value;
    });
  }

  for (const [name, script] of [
    ["an address without encryption has none", `Object.defineProperty(Navigator.prototype, "clipboard", { value: undefined });`],
    ["the browser refuses it", `Clipboard.prototype.writeText = () => Promise.reject(new Error("no"));`],
  ]) {
    test(`works where the interface for it is missing: ${name}`, async () => {
      await visitor(script, async (explorer, page) => {
        await explorer.finish();
        await explorer.at("copy-link").click();
        await page.getByText("Copied", { exact: true }).waitFor();
        assert.ok(await explorer.at("copy-link").evaluate((button) => button === document.activeElement));
        assert.match(await pasted(page), /\/some\/path\/\?experiment=ks&method=pno-d&seed=7&members=2/);
        assert.deepEqual(page.problems, []);
      });
    });
  }

  test("leaves the text selected where nothing else works", async () => {
    const nothing = `Object.defineProperty(Navigator.prototype, "clipboard", { value: undefined }); Document.prototype.execCommand = () => false;`;
    await visitor(nothing, async (explorer, page) => {
      await explorer.at("embed-code").locator("summary").click();
      await explorer.at("embed-copy").click();
      await page.getByText("Selected: copy it with Ctrl+C").waitFor();
      assert.match(await page.evaluate(() => String(getSelection())), /^<iframe src=/);
    });
  });
});

describe("the view of two sides", () => {
  test("does not outlive the second: a view is chosen, and a picture is there", async () => {
    await visit(`${FEW}&method2=pno-r&view=difference`, async (explorer, page) => {
      await explorer.finish();
      assert.deepEqual(Object.keys(await explorer.panelStates()), ["panel-difference"]);
      await explorer.at("experiment-darcy").check({ force: true });
      await explorer.at("view-all").waitFor();
      await explorer.settle();
      assert.ok(await explorer.at("view-all").isChecked());
      assert.ok(Object.keys(await explorer.panelStates()).length > 1);
      assert.deepEqual(page.problems, []);
    });
  });
});

describe("a page whose interface does not come", () => {
  const NOTHING = Object.freeze({ status: 404 });

  /** The sentence that stands where the interface was awaited. */
  async function sentence(explorer) {
    await explorer.at("reload").waitFor();
    return explorer.page.locator("[data-loading][role=alert]").innerText();
  }

  for (const [what, files] of [
    ["and everything else of its build", ["ui.js", "ui_bg.wasm", "worker_loader.js", "models/index.json"]],
    ["but not the script around it", ["ui_bg.wasm"]],
  ]) {
    test(`since the server has its program no more (${what}) says so, and a reload helps`, async () => {
      for (const file of files) site.override(file, NOTHING);
      await visit(`${FEW}&seed=31`, async (explorer, page) => {
        assert.match(await sentence(explorer), /of an older build, which the server has no more\. Reload it/);
        assert.deepEqual(await complaints(page), []);
        site.restore();
        await explorer.at("reload").click();
        await explorer.at("reload").waitFor({ state: "detached" });
        await explorer.finish();
        assert.equal(await explorer.at("seed").inputValue(), "31");
      });
    });
  }

  test("since nobody answers says what the browser says", async () => {
    const context = await browser.newContext();
    await context.route(/ui_bg/, (route) => route.abort("internetdisconnected"));
    try {
      await visit(FEW, async (explorer) => {
        assert.match(await sentence(explorer), /^The interface could not be loaded \(.+\)\. Reload the page to try again\./);
        await context.unroute(/ui_bg/);
        await explorer.at("reload").click();
        await explorer.at("reload").waitFor({ state: "detached" });
        await explorer.finish();
      }, { from: { newPage: () => context.newPage() } });
    } finally {
      await context.close();
    }
  });

  test("since the browser has no WebAssembly says that", async () => {
    const context = await browser.newContext();
    await context.addInitScript(() => { delete globalThis.WebAssembly; });
    try {
      await visit(FEW, async (explorer, page) => {
        assert.match(await sentence(explorer), /computes in your browser by WebAssembly, which this browser does not have/);
        assert.deepEqual(page.problems, []);
      }, { from: { newPage: () => context.newPage() } });
    } finally {
      await context.close();
    }
  });
});

describe("a server that has another page by now", () => {
  /** The next deployment has files of other names: these are no more there. */
  async function replace(...gone) {
    const html = await readFile(join(DIST, "index.html"), "utf8");
    site.override("index.html", { body: html.replace(/(name="pno-files" content=")[^"]+/, "$1ui.js=0123456789abcdef") });
    for (const name of gone) site.override(name, { status: 404 });
  }

  /** Reads that the page was updated, and reloads it. */
  async function reload(explorer) {
    await explorer.at("reload").waitFor();
    assert.match(await explorer.error(), /was updated while it was open/);
    assert.equal(await explorer.at("retry").count(), 0);
    site.restore();
    await explorer.at("reload").click();
    await explorer.at("reload").waitFor({ state: "detached" });
    await explorer.finish();
  }

  test("is known when a model is not where it was, and a reload finds it", async () => {
    await visit(`${FEW}&seed=31`, async (explorer) => {
      await explorer.finish();
      await replace("models/ks-pno-r.pno");
      await explorer.at("method-pno-r").check({ force: true });
      await reload(explorer);
      assert.match(await explorer.at("model").innerText(), /PNO_R/);
      assert.equal(await explorer.at("seed").inputValue(), "31");
    });
  });

  const { cases: [{ file: shipped }] } = JSON.parse(readFileSync(built("cases/index.json"), "utf8"));
  for (const [what, file] of [["the list of cases", "cases/index.json"], ["a case", `cases/${shipped}`]]) {
    test(`is known when ${what} is not where it was`, async () => {
      await visit(FEW, async (explorer) => {
        await explorer.finish();
        await replace(file);
        await explorer.at("experiment-era5").check({ force: true });
        await reload(explorer);
        assert.equal((await explorer.panelStates())["panel-truth"], "ready");
      });
    });
  }

  test("is known when the page itself is an old one whose list of models is gone", async () => {
    let answer;
    site.override("models/index.json", { status: 404, after: new Promise((done) => { answer = done; }) });
    await visit(FEW, async (explorer) => {
      await replace();
      answer();
      await reload(explorer);
    });
  });
});

describe("an answer of the worker that cannot be read", () => {
  test("is called that, and not an update: another try may help", async () => {
    const cut = `const post = postMessage.bind(self);
      self.postMessage = (data, ...rest) => {
        // Behind the identity of the build, the number of the device alone.
        if (Array.isArray(data) && data[0][16] === 4) data = [data[0].slice(0, 17)];
        post(data, ...rest);
      };\n`;
    site.override("worker_loader.js", { body: cut + (await readFile(built("worker_loader.js"), "utf8")) });
    await visit(FEW, async (explorer) => {
      assert.match(await explorer.error(), /sent an answer that this page cannot read/);
      assert.equal(await explorer.at("reload").count(), 0);
      await explorer.at("retry").waitFor();
    });
  });
});
