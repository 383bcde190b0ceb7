import { beforeEach, describe, expect, it } from "vitest";
import { PROBE_PATHS } from "../../src/admin-api/probe-paths.js";
import { Gateway, startWorker } from "../gateway/workers.js";

/** Agent programs ask these paths, without a key, before their first model call. */

let server: string;
let gateway: Gateway;
beforeEach(async () => {
  const worker = await startWorker("one");
  server = worker.url;
  gateway = await Gateway.start({ urls: [worker.url] });
});

describe.each(["server", "gateway"])("the %s", (name) => {
  it.each(PROBE_PATHS)("answers HEAD and GET of %s without a key", async (path) => {
    const url = (name === "server" ? server : gateway.url) + path;
    const [head, get] = [await fetch(url, { method: "HEAD" }), await fetch(url)];
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect([get.status, await get.json()]).toEqual([200, { status: "ok" }]);
  });
});
