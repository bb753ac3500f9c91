// The book as its readers see it: on a phone, without scripts, and with live figures where their script is.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { BOOK, DIST, launch, open, serve, withFolder } from "./harness.mjs";

/** Pages with a live figure. */
const FIGURES = ["index.html", "start/explore.html", "theory/scores.html", "theory/calibration.html", "theory/figures.html"];
/** The script of the live figures lies beside the book, and is absent here. */
const ABSENT = /Failed to load resource.*404/;

let site;
let browser;

before(async () => {
  if (!existsSync(join(BOOK, "index.html"))) throw new Error(`no book in ${BOOK}: run \`cargo xtask book\` first`);
  site = await serve({ dist: BOOK, prefix: "/some/path/book/" });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

async function visit(path, work, options = {}) {
  const page = await open(browser, `${site.url}${path}`, options);
  try {
    return await work(page);
  } finally {
    await page.close();
  }
}

async function chapters() {
  const files = await readdir(BOOK, { recursive: true });
  // The table of contents is a frame of its own.
  return files.filter((file) => file.endsWith(".html") && !file.endsWith("toc.html")).map((file) => file.replaceAll("\\", "/"));
}

test("without scripts every figure is a picture and a sentence", async () => {
  for (const path of FIGURES) {
    await visit(path, async (page) => {
      const figures = await page.locator("pno-forecast").all();
      assert.ok(figures.length > 0, `${path} has no figure`);
      for (const figure of figures) {
        assert.ok(await figure.locator("p").isVisible(), path);
        const { width, height } = await figure.locator("img").boundingBox();
        assert.ok(width > 200 && height > 80, `${path}: the picture is ${width} x ${height}`);
        assert.ok(await figure.locator("img").getAttribute("alt"), path);
      }
    }, { javaScriptEnabled: false });
  }
});

test("pictures of the figures load, and nothing else is missing", async () => {
  for (const path of FIGURES) {
    await visit(path, async (page) => {
      const pictures = page.locator("main img");
      const loaded = await pictures.evaluateAll((all) => Promise.all(all.map((image) => image.decode().then(() => image.naturalWidth))));
      assert.ok(loaded.every((width) => width > 0), `${path}: ${loaded}`);
      assert.deepEqual(page.problems.filter((problem) => !ABSENT.test(problem)), []);
    });
  }
});

test("formulas are drawn by the browser itself", async () => {
  await visit("theory/scores.html", async (page) => {
    const boxes = await page.locator("math").evaluateAll((all) =>
      all.map((formula) => ({ space: formula.namespaceURI, ...formula.getBoundingClientRect().toJSON() })));
    assert.ok(boxes.length >= 3);
    for (const { space, width, height } of boxes) {
      assert.equal(space, "http://www.w3.org/1998/Math/MathML");
      assert.ok(width > 150 && height > 15, `${width} x ${height}`);
    }
  });
});

test("no chapter is wider than a phone", async () => {
  const paths = await chapters();
  assert.ok(paths.length > 15, `${paths.length} chapters`);
  await visit("index.html", async (page) => {
    for (const path of paths) {
      await page.goto(`${site.url}${path}`);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wider <= 0, `${path} is ${wider} px wider than the screen`);
    }
  }, { viewport: { width: 360, height: 740 } });
});

test("nothing comes from another place", async () => {
  const foreign = [];
  await visit("index.html", async (page) => {
    page.on("request", (request) => {
      if (!request.url().startsWith(new URL(site.url).origin) && !request.url().startsWith("data:")) foreign.push(request.url());
    });
    await page.reload({ waitUntil: "networkidle" });
  });
  assert.deepEqual(foreign, []);
});

test("a figure runs where the book lies in the folder of the page", { skip: !existsSync(join(DIST, "pno-forecast.js")) && "this page has no figures" }, async () => {
  await withFolder(async (folder) => {
    await cp(DIST, folder, { recursive: true });
    await cp(BOOK, join(folder, "book"), { recursive: true });
    const whole = await serve({ dist: folder });
    const page = await open(browser, `${whole.url}book/start/explore.html`);
    try {
      const figure = page.locator("pno-forecast").first();
      const ready = figure.evaluate((element) => new Promise((done, fail) => {
        element.addEventListener("pno-ready", ({ detail }) => done(detail.state.view));
        element.addEventListener("pno-error", ({ detail }) => fail(new Error(detail.sentence)));
        element.set({ members: 2, device: "cpu" });
      }));
      await figure.scrollIntoViewIfNeeded();
      assert.equal(await ready, "std");
      assert.deepEqual(page.problems, []);
    } finally {
      await page.close();
      await whole.close();
    }
  });
});
