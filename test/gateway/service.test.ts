import { describe, expect, it } from "vitest";
import { PROBE_PATHS } from "../../src/admin-api/probe-paths.js";
import { readGatewayReadiness } from "../../src/gateway/readiness.js";
import { Gateway, startWorker } from "./workers.js";

describe("a gateway", () => {
  it.each([...PROBE_PATHS, "/livez"])("answers GET of %s without a key, even without workers", async (path) => {
    const gateway = await Gateway.start({});
    const reply = await gateway.get(path, null);
    expect([reply.status, reply.json()]).toEqual([200, { status: "ok" }]);
  });

  it("has no page, and says where sessions are shown", async () => {
    const gateway = await Gateway.start({});
    for (const path of ["/ui", "/ui/page.js"]) {
      const reply = await gateway.get(path, null);
      expect(reply.refusal).toBe("404 not_found");
      expect(reply.error.message).toContain("Use the addresses of the servers behind it");
    }
  });
});

describe("the readiness of a gateway", () => {
  it("is that of its workers", async () => {
    const worker = await startWorker("one");
    const { pool } = await Gateway.start({ urls: [worker.url] });
    expect(readGatewayReadiness(pool)).toMatchObject({ statusCode: 200, body: { status: "ok" } });
    await worker.kill();
    await pool.refresh();
    expect(readGatewayReadiness(pool)).toMatchObject({ statusCode: 503, body: { status: "no_workers" } });
  });

  it("is draining while the gateway stops, with the state of its workers and why calls wait", async () => {
    const { url } = await startWorker("one");
    const { pool } = await Gateway.start({ urls: [url] });
    expect(readGatewayReadiness(pool, { stopping: true, hold: "weights are loaded" })).toMatchObject({
      statusCode: 503,
      body: { status: "draining", message: "weights are loaded", workers: [{ tag: "one", status: "ok" }] },
    });
  });
});
