// A server of somebody else that has a model, and remembers who asks.

import { createServer } from "node:http";

/**
 * Serves `model` at every path, to every origin, and counts: `foreign.requests` has path and headers of each request.
 * `foreign.redirect(to)` answers with the way to another address from then on.
 */
export async function foreignServer(model) {
  const requests = [];
  let elsewhere = null;
  const server = createServer((request, response) => {
    requests.push({ path: request.url, headers: request.headers });
    const allowed = { "access-control-allow-origin": "*" };
    if (elsewhere) response.writeHead(302, { ...allowed, location: elsewhere }).end();
    else response.writeHead(200, { ...allowed, "content-type": "application/octet-stream", "content-length": model.length }).end(model);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const host = `localhost:${server.address().port}`;
  return {
    host,
    origin: `http://${host}`,
    requests,
    redirect: (to) => { elsewhere = to; },
    reset: () => {
      elsewhere = null;
      requests.length = 0;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}
