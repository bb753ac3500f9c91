// Models on servers of others: nothing is sent there before the visitor agrees, on the page and in figures.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { complaints } from "./axe.mjs";
import { elsewhere, figures, LISTEN, told } from "./embed-page.mjs";
import { ExplorerPage, onePage } from "./explorer-page.mjs";
import { foreignServer } from "./foreign.mjs";
import { built, DIST, launch, open, serve } from "./harness.mjs";
import { holds } from "./waiting.mjs";

const FEW = "experiment=ks&members=2&device=cpu";

let site;
let foreign;
let host;
let browser;

before(async () => {
  site = await serve({ headers: { "access-control-allow-origin": "*" } });
  foreign = await foreignServer(await readFile(built("models/ks-pno-r.pno")));
  host = await elsewhere();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await site?.close();
  await foreign?.close();
  await host?.close();
});
afterEach(() => {
  site.restore();
  foreign.reset();
});

async function visit(query, work, { from = site, visitor = null, ...options } = {}) {
  const page = await open(visitor ? { newPage: () => visitor.newPage() } : browser, `${from.url}?${FEW}&${query}`, { others: [foreign.origin], ...options });
  try {
    return await work(new ExplorerPage(page), page);
  } finally {
    await page.close();
  }
}

const there = () => `${foreign.origin}/deep/own.pno`;

describe("a model on another server", () => {
  test("is asked for once the visitor agrees in a panel that names the host, and not before", async () => {
    await visit(`model=${there()}`, async (explorer, page) => {
      await explorer.finish();
      assert.equal(await explorer.at("consent-host").innerText(), foreign.host);
      assert.match(await explorer.at("consent").innerText(), new RegExp(there().replaceAll(".", "\\.")));
      assert.deepEqual(await explorer.panelStates(), { "panel-input": "ready", "panel-truth": "ready" });
      assert.equal(foreign.requests.length, 0);
      await explorer.at("consent-agree").click();
      await explorer.at("panel-mean").waitFor();
      await explorer.settle();
      assert.equal(await explorer.at("consent").count(), 0);
      assert.equal(await explorer.number("score-members"), 2);
      assert.deepEqual(foreign.requests.map(({ path }) => path), ["/deep/own.pno"]);
      const { cookie, referer } = foreign.requests[0].headers;
      assert.deepEqual([cookie, referer], [undefined, undefined]);
      assert.ok(page.url().includes("own.pno"), "the link still says it");
      assert.deepEqual(page.problems, []);
    });
  });

  test("is asked for without the cookies of its server, which learns the site and the browser", async () => {
    const context = await browser.newContext();
    await context.addCookies([{ name: "visitor", value: "known", url: foreign.origin }]);
    // Somebody who goes there is known. What comes is a file, so there is no page to arrive at.
    const other = await context.newPage();
    await other.goto(foreign.origin).catch(() => {});
    assert.equal(foreign.requests[0].headers.cookie, "visitor=known");
    await other.close();
    foreign.reset();
    await visit(`model=${there()}`, async (explorer) => {
      await explorer.at("consent-agree").click();
      await explorer.at("panel-mean").waitFor();
      await explorer.settle();
      const { cookie, referer, origin, "user-agent": agent } = foreign.requests[0].headers;
      assert.deepEqual([foreign.requests.length, cookie, referer], [1, undefined, undefined]);
      assert.equal(origin, new URL(site.url).origin);
      assert.match(agent, /Chrome/);
    }, { visitor: context });
    await context.close();
  });

  test("is agreed to for one host: another one has its own question", async () => {
    const third = await foreignServer(await readFile(built("models/ks-pno-d.pno")));
    try {
      await visit(`model=${there()}&model2=${third.origin}/m.pno`, async (explorer) => {
        assert.equal(await explorer.at("consent-host").innerText(), foreign.host);
        await explorer.at("consent-agree").click();
        await explorer.at("consent-host").and(explorer.page.getByText(third.host, { exact: true })).waitFor();
        await explorer.at("panel-mean").waitFor();
        await explorer.settle();
        assert.deepEqual([foreign.requests.length, third.requests.length], [1, 0]);
        await explorer.at("consent-agree").click();
        await explorer.at("score-b-members").and(explorer.page.getByText("2", { exact: true })).waitFor();
        assert.deepEqual([foreign.requests.length, third.requests.length], [1, 1]);
        assert.equal(await explorer.at("consent").count(), 0);
      }, { others: [foreign.origin, third.origin] });
    } finally {
      await third.close();
    }
  });

  test("is not asked for when the visitor refuses, and the page goes on with its own", async () => {
    await visit(`model=${there()}`, async (explorer, page) => {
      await explorer.at("consent-refuse").click();
      await explorer.at("panel-mean").waitFor();
      await explorer.settle();
      assert.equal(await explorer.number("score-members"), 2);
      assert.equal(await explorer.at("consent").count(), 0);
      await explorer.waitForParam("model", null);
      assert.equal(foreign.requests.length, 0);
      assert.deepEqual(page.problems, []);
    });
  });

  test("of the second side waits alone: the first runs beside the question", async () => {
    await visit(`model2=${there()}`, async (explorer, page) => {
      await explorer.finish();
      assert.equal(await explorer.number("score-members"), 2);
      assert.equal(foreign.requests.length, 0);
      await explorer.at("consent-agree").click();
      await explorer.at("score-b-members").and(page.getByText("2", { exact: true })).waitFor();
      assert.equal(foreign.requests.length, 1);
    });
  });

  test("is asked for again on the next visit: the answer is kept nowhere", async () => {
    await visit(`model=${there()}`, async (explorer, page) => {
      await explorer.at("consent-agree").click();
      await explorer.at("panel-mean").waitFor();
      await explorer.settle();
      await page.reload();
      await explorer.at("consent").waitFor();
      await explorer.finish();
      assert.equal(foreign.requests.length, 1);
      assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length + document.cookie.length), 0);
    });
  });

  // In one page: nothing is agreed to. Each asks for another file, which tells one question from the next.
  const share = onePage((query) => open(browser, `${site.url}${query}`, { others: [foreign.origin] }));

  for (const [form, address] of [
    ["without a scheme", () => `//${foreign.host}/scheme.pno`],
    ["with a backslash", () => `/\\${foreign.host}/backslash.pno`],
    ["behind a name that is not its host", () => `http://${new URL(site.url).host}@${foreign.host}/name.pno`],
  ]) {
    test(`is known as such ${form}`, async () => {
      await share(`?${FEW}&model=${encodeURIComponent(address())}`, async (explorer) => {
        await explorer.finish();
        assert.ok((await explorer.at("consent").innerText()).includes(address().split("/").pop()));
        assert.equal(await explorer.at("consent-host").innerText(), foreign.host);
        assert.equal(foreign.requests.length, 0);
      });
    });
  }

  test("is named in full, with nothing serious for axe-core, on a desktop and a phone, light and dark", async () => {
    await visit(`model=${there()}`, async (explorer, page) => {
      await explorer.at("consent").waitFor();
      assert.equal(await explorer.at("consent").getAttribute("role"), "alert");
      for (const viewport of [{ width: 1280, height: 900 }, { width: 360, height: 740 }]) {
        await page.setViewportSize(viewport);
        for (const theme of ["light", "dark"]) {
          await explorer.chooseTheme(theme);
          await explorer.settle();
          assert.deepEqual(await complaints(page), [], `${theme} on ${viewport.width}`);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= viewport.width, `${wide} pixels on ${viewport.width}`);
        }
      }
    });
  });

  test("stays out of reach where the host forbids it to the worker by a header", async () => {
    const strict = await serve({ headers: { "content-security-policy": "connect-src 'self'" } });
    try {
      await visit(`model=${there()}`, async (explorer, page) => {
        await explorer.at("consent-agree").click();
        assert.match(await explorer.error(), /could not be fetched/);
        assert.equal(foreign.requests.length, 0);
        page.problems.length = 0;
        await explorer.go(`?${FEW}&method2=pno-r`);
        await explorer.finish();
        assert.deepEqual([await explorer.number("score-members"), await explorer.number("score-b-members")], [2, 2]);
        assert.deepEqual(page.problems, [], "everything else works");
      }, { from: strict });
    } finally {
      await strict.close();
    }
  });
});

describe("a redirect", () => {
  test("from the page's own server to another is not followed", async () => {
    site.override("own.pno", { status: 302, headers: { location: there() } });
    await visit("model=own.pno", async (explorer) => {
      assert.match(await explorer.error(), /own\.pno was not fetched: its server sends to another address/);
      assert.equal(await explorer.at("consent").count(), 0);
      assert.equal(foreign.requests.length, 0);
    });
  });

  test("from a server that was agreed to, to one that was not, is not followed", async () => {
    const third = await foreignServer(Buffer.alloc(0));
    try {
      foreign.redirect(`${third.origin}/m.pno`);
      await visit(`model=${there()}`, async (explorer) => {
        await explorer.at("consent-agree").click();
        assert.match(await explorer.error(), /sends to another address/);
        assert.deepEqual([foreign.requests.length, third.requests.length], [1, 0]);
      });
    } finally {
      await third.close();
    }
  });
});

describe("the worker itself", () => {
  test("refuses a model of another server that no agreement came with", async () => {
    site.override("blank.html", { body: "<title>worker</title><link rel=icon href=data:,>" });
    site.override("wire.mjs", { body: await readFile(new URL("wire.mjs", import.meta.url)) });
    const page = await open(browser, `${site.url}blank.html`, { others: [foreign.origin] });
    try {
      const draw = page.evaluate(async ([loader, model]) => {
        const { Inference } = await import("./wire.mjs");
        const request = { model, seed: 1, members: 1, device: "cpu", grid: [4] };
        return new Inference(`./${loader}`).draw(request, [1, 2, 3, 4]);
      }, [relative(DIST, built("worker_loader.js")), there()]);
      await assert.rejects(draw, new RegExp(`lies on ${foreign.host}, and nobody has agreed`));
      assert.equal(foreign.requests.length, 0);
    } finally {
      await page.close();
    }
  });
});

describe("a figure in somebody else's page", () => {
  const element = (id, more) => `<pno-forecast id="${id}" experiment="ks" members="2" device="cpu" view="std" ${more}></pno-forecast>`;

  async function embedded(body, work) {
    const script = `<script src="${site.url}pno-forecast.js" defer></script>`;
    const page = await open(browser, host.show(LISTEN + script + body), { others: [site.url, foreign.origin] });
    try {
      return await work(page);
    } finally {
      await page.close();
    }
  }

  test("asks inside itself, by keyboard, and the figure beside it is not concerned", async () => {
    await embedded(element("a", `model="${there()}"`) + element("b", ""), async (page) => {
      const [a, b] = await figures(page, 2);
      await b.finish();
      await a.finish();
      assert.equal(await b.at("consent").count(), 0);
      assert.equal(await a.at("consent-host").innerText(), foreign.host);
      assert.deepEqual(await complaints(a.page), []);
      assert.equal(foreign.requests.length, 0);
      await a.at("consent-agree").focus();
      await page.keyboard.press("Enter");
      await told(page, "pno-change", 'id === "a" && detail.stage === "done" && detail.probe?.sides.length === 1');
      assert.equal(foreign.requests.length, 1);
      assert.deepEqual(page.problems, []);
    });
  });

  test("asks when the page around it sets such a model later, and goes on after a no", async () => {
    await embedded(element("a", ""), async (page) => {
      await told(page, "pno-ready");
      const [a] = await figures(page);
      await page.evaluate((model) => document.querySelector("pno-forecast").set({ model }), there());
      await a.at("consent").waitFor();
      await a.at("consent-refuse").click();
      await told(page, "pno-change", "!detail.query.includes('model=') && detail.stage === 'done'");
      assert.equal(await a.at("consent").count(), 0);
      assert.equal(foreign.requests.length, 0);
    });
  });

  test("in a strict sandbox still asks for other servers, and needs no question for its own", async () => {
    const frame = (query) => `<iframe sandbox="allow-scripts" src="${site.url}embed.html?${FEW}&amp;view=std${query}" title="f" style="width:100%;height:400px"></iframe>`;
    await embedded(frame(`&amp;model=${there()}`), async (page) => {
      const [figure] = await figures(page);
      await figure.at("consent").waitFor();
      await figure.finish();
      assert.equal(foreign.requests.length, 0);
      await figure.at("consent-refuse").click();
      await figure.at("panel-std").and(figure.page.locator('[data-state="ready"]')).waitFor();
      assert.equal(foreign.requests.length, 0);
    });
  });
});

describe("going back", () => {
  test("to a model that was refused asks again, and asks its server for nothing", async () => {
    await visit(`model=${there()}`, async (explorer, page) => {
      const named = (wanted) => holds(page, (wanted) => new URL(location.href).searchParams.has("model") === wanted, wanted);
      await explorer.at("consent-refuse").click();
      await named(false);
      await explorer.settle();
      await page.evaluate(() => history.back());
      await explorer.at("consent").waitFor();
      await named(true);
      await explorer.settle();
      assert.equal(await explorer.at("consent-host").innerText(), foreign.host);
      assert.deepEqual(await explorer.panelStates(), { "panel-input": "ready", "panel-truth": "ready" });
      await page.evaluate(() => history.forward());
      await explorer.at("consent").waitFor({ state: "detached" });
      await explorer.settle();
      assert.equal(await explorer.number("score-members"), 2);
      assert.equal(foreign.requests.length, 0);
      assert.deepEqual(page.problems, []);
    });
  });
});
