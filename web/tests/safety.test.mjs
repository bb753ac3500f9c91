// What the page may do: scripts of its own, requests to its own origin, no cookies; models only when chosen, and once.
// What a visitor brings stays where it is.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { ExplorerPage, offer, sharedPages } from "./explorer-page.mjs";
import { DIST, built, launch, open, serve, withFolder } from "./harness.mjs";
import { MODELS, untrained } from "./models.mjs";
import { writeNpy } from "./npy.mjs";
import { found, holds } from "./waiting.mjs";

let site;
let browser;

before(async () => {
  site = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await site?.close();
});
afterEach(() => site.restore());

/** Hands pages of one visitor to `work`: what the browser keeps lasts from one to the next. */
async function visitor(work) {
  const context = await browser.newContext();
  const from = { newPage: async () => context.newPage() };
  try {
    return await work(async (query, visit) => {
      const page = await open(from, `${site.url}${query}`);
      try {
        return await visit(new ExplorerPage(page), page);
      } finally {
        await page.close();
      }
    });
  } finally {
    await context.close();
  }
}

describe("the content security policy", () => {
  const policyOf = (html) => html.match(/http-equiv="Content-Security-Policy" content="([^"]+)"/)[1];

  test("stands in the page, which has no inline script", async () => {
    const html = await readFile(join(DIST, "index.html"), "utf8");
    const policy = policyOf(html);
    assert.match(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/);
    assert.ok(!policy.includes("unsafe-inline"), policy);
    assert.equal(html.match(/<script(?![^>]*\ssrc=)/g), null);
  });

  test("of a figure is the same, but for a worker that is started from a text of its own", async () => {
    const [page, figure] = await Promise.all(["index.html", "embed.html"].map((name) => readFile(join(DIST, name), "utf8")));
    assert.equal(policyOf(figure), policyOf(page).replace("worker-src 'self'", "worker-src 'self' blob:"));
    assert.notEqual(policyOf(figure), policyOf(page));
    assert.equal(figure.match(/<script(?![^>]*\ssrc=)/g), null);
  });

  // The case of the temperature that comes with the page fits the model that does. One visitor sees all others.
  const share = sharedPages((query) => open(browser, `${site.url}${query}`), () => site);
  const OFFERED = { ...MODELS, "ks-pno-d.pno": ["ks"] };

  for (const [experiment, models] of [["ks", OFFERED], ["darcy", OFFERED], ["sswe", OFFERED], ["era5", null]]) {
    test(`is kept by everything that ${experiment} does, with no cookie and no foreign request`, async () => {
      await share(`?experiment=${experiment}&members=2&device=cpu`, async (explorer, page) => {
        await explorer.finish();
        assert.equal(await explorer.number("score-members"), 2);
        for (const what of ["save-truth", "theme"]) await explorer.at(what).first().focus();
        await explorer.at("theme").selectOption("dark");
        await explorer.at("view-std").check({ force: true });
        await explorer.at("save-std").click();
        await Promise.all([page.waitForEvent("download"), explorer.at("save-png-std").click()]);
        assert.deepEqual(await page.context().cookies(), []);
        assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0);
        assert.deepEqual(page.problems, []);
      }, models);
    });
  }
});

describe("what a visitor brings", () => {
  test("is used without a single request: a model, and an input", async () => {
    const model = await untrained(...MODELS["darcy-pno-d.pno"]);
    const input = await withFolder(async (folder) => {
      const path = join(folder, "own.npy");
      await writeNpy(path, [16, 16], Array.from({ length: 256 }, (_, i) => (i % 16 < 8 ? 1 : 4)));
      return readFile(path);
    });
    await offer(site, MODELS);
    await visitor((visit) => visit("?experiment=darcy&members=2&device=cpu", async (explorer, page) => {
      await explorer.finish();
      const asked = site.requests.length;
      await explorer.drop("own.pno", model);
      await found(page, "[data-testid=model-choice]");
      await explorer.settle();
      await explorer.drop("own.npy", input);
      await explorer.at("forget-input").waitFor();
      await explorer.settle();
      assert.equal((await explorer.panelStates())["panel-mean"], "ready");
      assert.deepEqual(site.requests.slice(asked), []);
      assert.deepEqual(page.problems, []);
    }));
  });
});

describe("the shell", () => {
  test("is painted before the program of the interface has arrived", async () => {
    const release = site.hold("ui_bg.wasm");
    await visitor((visit) => visit("?members=2&device=cpu", async (explorer, page) => {
      await holds(page, () => performance.getEntriesByName("first-contentful-paint").length > 0, null, { what: "a painted page" });
      assert.ok(await page.evaluate(() => document.querySelector("[data-loading]") !== null), "it is the shell");
      release();
      await explorer.at("seed").waitFor();
    }));
  });
});

describe("a model", () => {
  const models = (from) => site.requests.slice(from).filter((name) => name.endsWith(".pno"));

  test("is downloaded when it is chosen and not before, with its progress", async () => {
    const begun = site.requests.length;
    await offer(site, { "ks-pno-d.pno": ["ks"] });
    site.override("models/ks-pno-d.pno", { pauseMs: 500 });
    await visitor((visit) => visit("?experiment=darcy", async (explorer, page) => {
      await explorer.finish();
      assert.deepEqual(models(begun), []);
      await page.evaluate(() => {
        window.words = [];
        new MutationObserver(() => window.words.push(document.querySelector("[data-testid=status] strong").innerText))
          .observe(document.querySelector("[data-testid=status]"), { childList: true, characterData: true, subtree: true });
      });
      await explorer.at("experiment-ks").check({ force: true });
      await explorer.at("members").selectOption("2");
      await explorer.settle();
      assert.deepEqual(models(begun), ["models/ks-pno-d.pno"]);
      const { words } = await page.evaluate(() => ({ words: window.words }));
      assert.ok(words.some((text) => /^Downloading the model: \d+ of \d+ kB$/.test(text)), `${words}`);
    }));
  });

  test("is not asked for again on a second visit", async () => {
    await visitor(async (visit) => {
      const see = (explorer) => explorer.finish().then(() => explorer.number("score-members"));
      assert.equal(await visit("?members=2&device=cpu", see), 2);
      const begun = site.requests.length;
      assert.equal(await visit("?members=2&device=cpu", see), 2);
      assert.ok(site.requests.length > begun, "the page itself is asked for");
      assert.deepEqual(models(begun), []);
    });
  });

  test("is asked for again where the list tells of another file, and the old one is forgotten", async () => {
    await visitor(async (visit) => {
      await visit("?members=1&device=cpu", (explorer) => explorer.finish());
      const list = JSON.parse(await readFile(built("models/index.json"), "utf8"));
      for (const model of list.models) model.version = "another";
      site.override("models/index.json", { body: JSON.stringify(list) });
      const begun = site.requests.length;
      const kept = await visit("?members=1&device=cpu", async (explorer, page) => {
        await explorer.finish();
        return page.evaluate(async () => (await (await caches.open("pno-models-1")).keys()).map(({ url }) => url));
      });
      assert.deepEqual(models(begun), ["models/ks-pno-d.pno"]);
      assert.equal(kept.length, 1, `${kept}`);
      assert.match(kept[0], /ks-pno-d\.pno\?version=another$/);
    });
  });

  test("comes where the browser keeps nothing, as on an address without encryption", async () => {
    const loader = await readFile(built("worker_loader.js"), "utf8");
    const without = `Object.defineProperty(globalThis, "caches", { value: undefined });\n`;
    site.override("worker_loader.js", { body: without + loader });
    await visitor(async (visit) => {
      for (let k = 0; k < 2; k++) {
        const begun = site.requests.length;
        await visit("?members=1&device=cpu", (explorer) => explorer.finish());
        assert.equal(models(begun).length, 1);
      }
    });
  });
});
