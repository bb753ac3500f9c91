// A reporter of node's test runner that adds what was skipped to the list of `cargo xtask test` (PNO_SKIPPED).

import { appendFileSync } from "node:fs";
import { basename } from "node:path";

export default async function* skipped(events) {
  for await (const { type, data } of events) {
    // `skip` is the reason, or true without one, or absent.
    const reason = data?.skip === true ? "no reason is given" : data?.skip;
    if (type !== "test:pass" || !reason) continue;
    const line = `${data.name} (${basename(data.file ?? "a test")}): ${reason}`.replaceAll("\n", " ");
    if (process.env.PNO_SKIPPED) appendFileSync(process.env.PNO_SKIPPED, `${line}\n`);
    yield `SKIPPED ${line}\n`;
  }
}
