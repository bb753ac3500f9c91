// Figures in pages of other origins: chrome, start, sharing, messages, sandboxes, and what is seen where nothing runs.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, describe, test } from "node:test";
import { elsewhere, Figure, figures, LISTEN, told } from "./embed-page.mjs";
import { ExplorerPage } from "./explorer-page.mjs";
import { built, launch, open, serve } from "./harness.mjs";
import { holds } from "./waiting.mjs";

const FEW = "experiment=ks&members=2&device=cpu&view=std";
const ATTRIBUTES = 'experiment="ks" members="2" device="cpu" view="std"';

let site;
let host;
let browser;

before(async () => {
  site = await serve({ headers: { "access-control-allow-origin": "*" } });
  host = await elsewhere();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await site?.close();
  await host?.close();
});
afterEach(() => site.restore());

const iframe = (query, more = "") =>
  `<iframe src="${site.url}embed.html?${query.replaceAll("&", "&amp;")}" title="f" style="width:100%;height:400px;border:0" ${more}></iframe>`;
const element = (more = "", inside = "") => `<pno-forecast ${ATTRIBUTES} ${more}>${inside}</pno-forecast>`;
const script = () => `<script src="${site.url}pno-forecast.js" defer></script>`;
const asked = (name) => site.requests.filter((request) => request === name).length;

/** Opens a page of somebody else with this body. */
async function visit(body, work, { policy, ...options } = {}) {
  site.requests.length = 0;
  const page = await open(browser, host.show(body, { policy }), { others: [site.url], ...options });
  try {
    return await work(page);
  } finally {
    await page.close();
  }
}

/** Lets the worker rest for a second before each pass: then a run of many members lasts, however fast the machine is. */
async function slowly() {
  const loader = await readFile(built("worker_loader.js"), "utf8");
  const rest = `const wait = self.setTimeout.bind(self);
    self.setTimeout = (work, milliseconds, ...more) => wait(work, Math.max(milliseconds, 1000), ...more);`;
  site.override("worker_loader.js", { body: `{\n${rest}\n}\n${loader}` });
}

describe("a figure", () => {
  // Frames of several sizes, one after the other.
  for (const [level, sizes] of [["full", []], ["figure", [[700, 400], [340, 320]]], ["bare", [[340, 200]]]]) {
    const frames = sizes.map((size) => size.join(" x ")).join(" and ");
    test(`(${level}) shows the view of its address on a transparent ground${frames && `, and fills ${frames} pixels and no more`}`, async () => {
      await visit(iframe(`${FEW}&embed=${level}`), async (page) => {
        const [figure] = await figures(page);
        await figure.finish();
        assert.deepEqual(await figure.panelStates(), { "panel-std": "ready" });
        assert.ok((await figure.colours("panel-std")) > 20);
        const ground = await figure.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        assert.equal(ground, "rgba(0, 0, 0, 0)");
        assert.equal(await figure.page.locator("form.controls").count(), level === "full" ? 1 : 0);
        for (const [width, height] of sizes) {
          await page.locator("iframe").evaluate((frame, [width, height]) => {
            frame.style.width = `${width}px`;
            frame.style.height = `${height}px`;
          }, [width, height]);
          await holds(figure.page, ([width, height]) => innerWidth === width && innerHeight === height, [width, height]);
          await figure.settle();
          const seen = await figure.page.evaluate(() => {
            const { scrollWidth, scrollHeight } = document.documentElement;
            const plot = document.querySelector(".plot").getBoundingClientRect();
            return { scrollWidth, scrollHeight, plot: plot.height, bottom: plot.bottom };
          });
          assert.ok(seen.scrollWidth <= width && seen.scrollHeight <= height, JSON.stringify(seen));
          assert.ok(seen.plot > height * 0.4 && seen.bottom <= height, JSON.stringify(seen));
        }
        assert.deepEqual(page.problems, []);
      });
    });
  }

  test("loads nothing large until it is scrolled into view, and rests when it is out of it", async () => {
    await slowly();
    await visit(`<div style="height:3000px">text</div>${iframe(FEW.replace("members=2", "members=256"))}`, async (page) => {
      const [figure] = await figures(page);
      await figure.has("still");
      await page.waitForTimeout(1000);
      assert.deepEqual(site.requests.filter((name) => name.endsWith(".wasm")), []);
      await page.locator("iframe").scrollIntoViewIfNeeded();
      await figure.reach("run");
      await page.evaluate(() => scrollTo(0, 0));
      await figure.reach("paused");
      await page.locator("iframe").scrollIntoViewIfNeeded();
      await figure.reach("run");
    });
  });

  test("waits for a click where its author asks for that", async () => {
    await visit(iframe(`${FEW}&start=click`), async (page) => {
      const [figure] = await figures(page);
      await figure.has("run");
      await page.waitForTimeout(500);
      assert.deepEqual(site.requests.filter((name) => name.endsWith(".wasm")), []);
      assert.ok(await figure.pictured());
      await figure.at("run").click();
      await figure.finish();
      assert.equal(await figure.still.count(), 0);
    });
  });

  test("waits for a click where the visitor prefers reduced motion", async () => {
    await visit(iframe(FEW), async (page) => {
      const [figure] = await figures(page);
      await figure.has("run");
      assert.ok(await figure.pictured());
    }, { reducedMotion: "reduce" });
  });

  test("has the colours its address asks for, whatever the system", async () => {
    await visit(iframe(`${FEW}&theme=dark&start=click`), async (page) => {
      const [figure] = await figures(page);
      await figure.has("run");
      const ink = await figure.page.evaluate(() => getComputedStyle(document.body).color);
      assert.equal(ink, "rgb(232, 235, 240)");
    });
  });

  test("is where an address of the page with `embed` leads", async () => {
    const page = await open(browser, `${site.url}?${FEW}&embed=bare`);
    await page.waitForURL(/embed\.html\?.*embed=bare/);
    await new Figure(page).finish();
    await page.close();
  });
});

describe("the element", () => {
  test("tells when it is ready, what changes, and the numbers at the point", async () => {
    await visit(LISTEN + script() + element('id="a"'), async (page) => {
      const ready = await told(page, "pno-ready");
      assert.equal(ready.id, "a");
      assert.equal(ready.detail.state.view, "std");
      const { probe } = ready.detail;
      assert.equal(probe.sides.length, 1);
      assert.equal(probe.sides[0].members, 2);
      assert.ok(Number.isFinite(probe.truth) && Number.isFinite(probe.sides[0].mean));
      const [figure] = await figures(page);
      await figure.probe("panel-std", 3, 200);
      const moved = await told(page, "pno-change", 'detail.state.at?.startsWith("0.7")');
      assert.notEqual(moved.detail.probe.truth, probe.truth);
      assert.deepEqual(page.problems, []);
    });
  });

  test("follows its attributes and set(), and keeps what the visitor did", async () => {
    await visit(LISTEN + script() + element(), async (page) => {
      await told(page, "pno-ready");
      const [figure] = await figures(page);
      await figure.probe("panel-std", 3, 200);
      await told(page, "pno-change", "detail.state.at");
      await page.evaluate(() => document.querySelector("pno-forecast").set({ view: "mean", members: 3 }));
      const { detail } = await told(page, "pno-change", 'detail.state.view === "mean" && detail.probe?.sides[0]?.members === 3');
      assert.ok(detail.state.at, "the point stays");
      await page.evaluate(() => document.querySelector("pno-forecast").setAttribute("view", "truth"));
      await told(page, "pno-change", 'detail.state.view === "truth"');
      await page.evaluate(() => document.querySelector("pno-forecast").set({ view: null }));
      await told(page, "pno-change", "!detail.state.view && !detail.state.at");
    });
  });

  test("says what is wrong with a setting", async () => {
    await visit(LISTEN + script() + element('seed="minus"'), async (page) => {
      const { detail } = await told(page, "pno-error");
      assert.match(detail.sentence, /seed=minus, but seed must be a whole number/);
      const wrong = await page.evaluate(() => {
        try { document.querySelector("pno-forecast").set({ sead: 1 }); } catch (error) { return error.message; }
      });
      assert.match(wrong, /no setting "sead"/);
    });
  });

  test("pauses and goes on as its page says", async () => {
    await slowly();
    await visit(LISTEN + script() + element().replace('members="2"', 'members="256"'), async (page) => {
      await told(page, "pno-change", 'detail.stage === "run"');
      await page.evaluate(() => document.querySelector("pno-forecast").pause());
      await told(page, "pno-change", 'detail.stage === "paused"');
      await page.evaluate(() => { told.length = 0; document.querySelector("pno-forecast").run(); });
      await told(page, "pno-change", 'detail.stage === "run"');
    });
  });

  test("shows what stands inside it while the figure cannot be had", async () => {
    site.override("embed.html", { status: 404, body: "" });
    await visit(script() + element("", "<p id='inside'>A picture of waves</p>"), async (page) => {
      await page.waitForTimeout(1000);
      assert.ok(await page.locator("#inside").isVisible());
      assert.equal(await page.locator("pno-forecast iframe").evaluate((frame) => getComputedStyle(frame).visibility), "hidden");
    });
  });

  test("shows a still picture and a sentence of its own where nothing stands inside", async () => {
    site.override("embed.html", { status: 404, body: "" });
    await visit(script() + element(), async (page) => {
      await page.locator("pno-forecast img").waitFor();
      assert.match(await page.locator("pno-forecast p").innerText(), /live forecast belongs here/);
    });
  });
});

describe("two figures on one page", () => {
  const two = () => LISTEN + script() + element('id="a"') + element('id="b" seed="12"');

  test("share one worker and one download of its program and model", async () => {
    await visit(two(), async (page) => {
      await told(page, "pno-ready", 'id === "a"');
      await told(page, "pno-ready", 'id === "b"');
      assert.equal(asked("worker_bg.wasm"), 1);
      assert.equal(asked("models/ks-pno-d.pno"), 1);
      assert.equal(page.workers().length, 1);
      const truths = await page.evaluate(() => [...document.querySelectorAll("pno-forecast")].map(({ probe }) => probe.truth));
      assert.notEqual(truths[0], truths[1], "each shows its own case");
      assert.deepEqual(page.problems, []);
    });
  });

  test("go on when the one that holds the worker leaves", async () => {
    await visit(two(), async (page) => {
      await told(page, "pno-ready", 'id === "a"');
      await told(page, "pno-ready", 'id === "b"');
      const first = await page.evaluate(() => told.find(({ type }) => type === "pno-ready").id);
      const other = first === "a" ? "b" : "a";
      await page.evaluate((id) => { document.getElementById(id).remove(); told.length = 0; }, first);
      await page.evaluate((id) => document.getElementById(id).set({ seed: 31 }), other);
      await told(page, "pno-change", 'detail.state.seed === "31" && detail.stage === "done"');
      assert.equal(page.workers().length, 1);
      assert.deepEqual(page.problems, []);
    });
  });
});

describe("messages", () => {
  /** A page that frames a figure by itself, and keeps what the figure says. */
  const hearing = (query) => `<script>window.heard = []; addEventListener("message", ({ data, origin }) => heard.push({ ...data, origin }));</script>${iframe(query)}`;
  const post = (page, message) => page.evaluate((message) => frames[0].postMessage(message, "*"), message);

  test("are exchanged with the origin that the address names, and carry a version", async () => {
    await visit(hearing(`${FEW}&host=${host.origin}`), async (page) => {
      await holds(page, () => heard.some(({ type }) => type === "ready"));
      const versions = await page.evaluate(() => [...new Set(heard.map(({ pno }) => pno))]);
      assert.deepEqual(versions, [1]);
      await post(page, { pno: 1, type: "set", query: "view=mean" });
      await holds(page, () => heard.some(({ state }) => state?.view === "mean"));
      await post(page, { pno: 7, type: "set", query: "view=truth" });
      await holds(page, () => heard.some(({ sentence }) => sentence?.includes("version 7")));
      await post(page, { pno: 1, type: "set", query: "x".repeat(20_000) });
      await holds(page, () => heard.some(({ sentence }) => sentence?.includes("20000 letters")));
    });
  });

  for (const [name, given] of [["without a host", ""], ["for another host", "&host=https://example.org"]]) {
    test(`(${name}) nothing is said and nothing is heard`, async () => {
      await visit(hearing(FEW + given), async (page) => {
        const [figure] = await figures(page);
        await figure.finish();
        await post(page, { pno: 1, type: "set", query: "view=mean" });
        await page.waitForTimeout(500);
        assert.deepEqual(await page.evaluate(() => heard), []);
        assert.deepEqual(Object.keys(await figure.panelStates()), ["panel-std"]);
      });
    });
  }
});

describe("under strict policies", () => {
  const STRICT = () => `default-src 'none'; style-src 'unsafe-inline'; frame-src ${new URL(site.url).origin}`;

  test("a figure works in a sandbox without an origin", async () => {
    await visit(iframe(FEW, 'sandbox="allow-scripts"'), async (page) => {
      const [figure] = await figures(page);
      await figure.finish();
      assert.equal(await figure.page.evaluate(() => origin), "null");
      assert.deepEqual(await figure.panelStates(), { "panel-std": "ready" });
      assert.deepEqual(page.problems, []);
    }, { policy: STRICT() });
  });

  test("a sandboxed figure whose server does not allow that shows the still picture and a sentence", async () => {
    const plain = await serve();
    try {
      const frame = iframe(FEW, 'sandbox="allow-scripts"').replace(site.url, plain.url);
      await visit(frame, async (page) => {
        const [figure] = await figures(page);
        await figure.has("run");
        await figure.sentence(/could not be loaded/);
        assert.ok(await figure.pictured());
      });
    } finally {
      await plain.close();
    }
  });

  test("the element works on a page that allows one script and one frame", async () => {
    const origin = new URL(site.url).origin;
    await visit(script() + element(), async (page) => {
      const [figure] = await figures(page);
      await figure.finish();
      assert.deepEqual(page.problems, []);
    }, { policy: `default-src 'none'; script-src ${origin}; frame-src ${origin}` });
  });
});

describe("where nothing can run, the reader sees a still picture and a sentence", () => {
  async function seen(page, words) {
    const [figure] = await figures(page);
    await figure.has("still");
    await figure.sentence(words);
    assert.ok(await figure.pictured());
  }

  test("without JavaScript", async () => {
    await visit(iframe(FEW), async (page) => {
      const frame = page.frameLocator("iframe");
      assert.match(await frame.getByTestId("sentence").innerText(), /needs JavaScript and WebAssembly/);
      assert.ok(await frame.locator("img").isVisible());
    }, { javaScriptEnabled: false });
  });

  test("without WebAssembly", async () => {
    const context = await browser.newContext();
    await context.addInitScript(() => { delete globalThis.WebAssembly; });
    const page = await context.newPage();
    await page.goto(host.show(iframe(FEW)));
    await seen(page, /no WebAssembly/);
    await context.close();
  });

  test("offline, when the page itself is still there", async () => {
    const context = await browser.newContext();
    await context.route(/\.(wasm|pno)$|ui-.*\.js$/, (route) => route.abort("internetdisconnected"));
    const page = await context.newPage();
    await page.goto(host.show(iframe(FEW)));
    await seen(page, /could not be loaded/);
    await context.close();
  });

  test("with the model missing", async () => {
    await visit(iframe(`${FEW}&model=models/none.pno`), (page) => seen(page, /There is no model at/));
  });

  test("with a worker that does not start", async () => {
    site.override("worker_bg.wasm", { status: 404 });
    await visit(iframe(FEW), (page) => seen(page, /The inference worker stopped/));
  });
});

describe("copying embed code", () => {
  test("gives a snippet of every system for exactly the view on the screen", async () => {
    const page = await open(browser, `${site.url}?${FEW}&seed=12`);
    const explorer = new ExplorerPage(page);
    await explorer.finish();
    await page.getByText("Copy embed code").click();
    for (const system of ["iframe", "element", "mdbook", "myst", "docusaurus", "jupyter"]) {
      // Not where it is on the screen: what comes in above it may move it.
      await explorer.at(`embed-system-${system}`).dispatchEvent("click");
      const text = await explorer.at("embed-text").innerText();
      for (const part of [site.url, "12", "std"]) assert.ok(text.includes(part), `${system}: ${text}`);
    }
    await explorer.at("embed-system-iframe").dispatchEvent("click");
    const snippet = await explorer.at("embed-text").innerText();
    await page.close();
    await visit(snippet, async (page) => {
      const [figure] = await figures(page);
      await figure.finish();
      assert.deepEqual(await figure.panelStates(), { "panel-std": "ready" });
    });
  });
});

describe("a forged message to the element", () => {
  const FORGED = [
    { type: "ready", state: { seed: "666" }, probe: { truth: 666 } },
    { type: "change", state: { seed: "666" }, probe: { truth: 666 } },
    { type: "error", sentence: "666" },
    { type: "size", height: 666 },
  ].map((message) => ({ pno: 1, forged: true, ...message }));

  test("changes nothing, whether the page says it, another frame of the figure's server, or who took the figure's place", async () => {
    const stranger = await elsewhere();
    const forger = `<script>for (const message of ${JSON.stringify(FORGED)}) parent.postMessage(message, "*");</script>`;
    site.override("forger.html", { body: forger });
    const counter = `<script>window.arrived = 0; addEventListener("message", ({ data }) => { if (data?.forged) arrived++; });</script>`;
    const heard = (page, times) => holds(page, (count) => window.arrived === count, times * FORGED.length, { what: "the forged messages" });
    try {
      await visit(counter + LISTEN + script() + element('embed="full"'), async (page) => {
        await told(page, "pno-ready");
        await page.evaluate((all) => all.forEach((message) => postMessage(message, "*")), FORGED);
        await heard(page, 1);
        await page.evaluate((address) => {
          const frame = document.createElement("iframe");
          frame.src = address;
          document.body.append(frame);
        }, `${site.url}forger.html`);
        await heard(page, 2);
        const [figure] = await figures(page);
        await figure.page.goto(stranger.show(forger));
        await heard(page, 3);
        const found = await page.evaluate(() => {
          const { state, probe, style } = document.querySelector("pno-forecast");
          return JSON.stringify([window.told, state, probe?.truth, style.height]);
        });
        assert.match(found, /"pno-ready"/);
        assert.doesNotMatch(found, /"666|:666|,666/);
      });
    } finally {
      await stranger.close();
    }
  });
});
