// Pages of others, served from another origin, with figures in them.

import { createServer } from "node:http";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { ForecastPage } from "./forecast-page.mjs";
import { found, holds, until } from "./waiting.mjs";

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml", ".woff2": "font/woff2" };

/**
 * Serves pages of somebody else on a port of its own: another origin. `host.show(html, { policy })` gives the address of
 * a page with this body; `folder` serves files instead.
 */
export async function elsewhere({ folder = null } = {}) {
  const pages = new Map();
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const page = pages.get(path);
    if (page) {
      const policy = page.policy ? { "content-security-policy": page.policy } : {};
      response.writeHead(200, { "content-type": TYPES[".html"], ...policy }).end(page.html);
      return;
    }
    if (path === "/favicon.ico") {
      response.writeHead(204).end();
      return;
    }
    const file = folder ? join(resolve(folder), path) : null;
    const info = file?.startsWith(resolve(folder)) ? await stat(file).catch(() => null) : null;
    if (!info?.isFile()) {
      response.writeHead(404).end("not found");
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const origin = `http://localhost:${server.address().port}`;
  return {
    origin,
    show(body, { policy } = {}) {
      const path = `/page-${pages.size + 1}.html`;
      const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Somebody's page</title></head><body>${body}</body></html>`;
      pages.set(path, { html, policy });
      return origin + path;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}

/** The figures of a page, in order, once there are `count` of them. */
export async function figures(page, count = 1) {
  const there = () => page.frames().filter((frame) => frame.url().includes("/embed.html"));
  await until(async () => there().length >= count, `${count} figures in the page`, { seen: async () => `${there().length}` });
  return there().map((frame) => new Figure(frame));
}

/** A figure as its readers see it. */
export class Figure extends ForecastPage {
  get still() {
    return this.at("still");
  }

  /** Waits until a part is in the figure, whether or not the figure is in sight. */
  async has(name) {
    await found(this.page, `[data-testid=${name}]`);
  }

  /** The sentence beside the still picture, once it matches. */
  async sentence(words = /./) {
    const present = () => this.page.evaluate(() => document.querySelector("[data-testid=sentence]")?.textContent ?? "");
    return until(async () => {
      const text = await present();
      return words.test(text) && text;
    }, `a sentence with ${words}`, { seen: present });
  }

  /** Whether the still picture is really a picture. */
  async pictured() {
    return this.still.locator("img").evaluate(async (image) => {
      await image.decode().catch(() => {});
      return image.naturalWidth > 0;
    });
  }
}

/** Gathers the events of all elements of a page into `window.told`. */
export const LISTEN = `<script>
  window.told = [];
  for (const type of ["pno-ready", "pno-change", "pno-error"]) {
    addEventListener(type, ({ target, detail }) => told.push({ type, id: target.id, detail }));
  }
</script>`;

/** The first event of a kind, for which `test` (a function's text over `detail` and `id`) holds. */
export async function told(page, type, test = "true") {
  return holds(
    page,
    ([type, test]) => window.told.find((event) => event.type === type && new Function("detail", "id", `return ${test}`)(event.detail, event.id)),
    [type, test],
    { what: `the event ${type} with ${test}`, seen: () => page.evaluate(() => JSON.stringify(window.told.map(({ type, id, detail }) => [type, id, detail.stage]))) },
  );
}
