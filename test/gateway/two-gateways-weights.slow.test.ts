import { describe, expect, it, onTestFinished } from "vitest";
import type { WeightsRecord } from "../../src/admin-api/weights/weights-schemas.js";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine } from "../../src/engine/index.js";
import { type SglangServer, startSglangServer } from "../helpers/sglang/sglang-server.js";
import { Gateway, startWorker } from "./workers.js";

const LOAD = "/update_weights_from_disk";
const BUSY = /weight update,? to version \d+ .*is in progress/;

async function startServer(): Promise<SglangServer> {
  const server = await startSglangServer({ weightVersion: "0" });
  onTestFinished(() => server.close());
  return server;
}

async function startOn(tag: string, url: string) {
  const options = { urls: [url], timeoutSeconds: 0, maxInflight: 4, healthSeconds: 0 };
  const engine: Engine = createSglangEngine(options);
  onTestFinished(() => engine.close());
  return startWorker(tag, { engine });
}

/** Starts two gateways over the same two workers, each with an engine server. */
async function startTwo() {
  const servers = [await startServer(), await startServer()] as const;
  const workers = [await startOn("one", servers[0].url), await startOn("two", servers[1].url)] as const;
  const urls = workers.map(({ url }) => url);
  const gateways = [await Gateway.start({ urls }), await Gateway.start({ urls })] as const;
  return { servers, workers, gateways };
}

const update = (gateway: Gateway, version: number, fields: object = {}) =>
  gateway.post("/rl/weights", { version, path: `/weights/${version}`, ...fields });
const giveUp = (gateway: Gateway) => gateway.send("/rl/weights", { method: "DELETE" });
const record = async (gateway: Gateway) => (await gateway.get("/rl/weights")).json<WeightsRecord>();
const loads = (servers: readonly SglangServer[]) =>
  servers.flatMap((server) => server.to(LOAD).map(({ json }) => json["model_path"]));

describe("two gateways over the same workers", () => {
  it("never update the weights to two versions at once: one is refused with 409, which names the other update", async () => {
    const { servers, workers, gateways } = await startTwo();
    for (let version = 1; version < 12; version += 2) {
      const open = servers.map((server) => server.loads.hold());
      const running = [update(gateways[0], version), update(gateways[1], version + 1)];
      await Promise.race(running);
      for (const each of open) each();
      const replies = await Promise.all(running);
      const statuses = replies.map(({ status }) => status);
      expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409]);
      const [refused] = replies.filter(({ status }) => status === 409);
      expect(refused?.error).toMatchObject({ code: "weights_busy" });
      expect(refused?.error.message).toMatch(BUSY);
      const current = statuses[0] === 200 ? version : version + 1;
      expect(workers.map(({ proxy }) => proxy.context.weightVersion.version)).toEqual([current, current]);
      expect(workers.map(({ proxy }) => proxy.engine.servers?.paused)).toEqual([undefined, undefined]);
      expect(servers.map((server) => loads([server]).at(-1))).toEqual([`/weights/${current}`, `/weights/${current}`]);
      expect(await Promise.all(gateways.map(async (gateway) => (await record(gateway)).state))).toEqual([
        "idle",
        "idle",
      ]);
    }
  });

  it("refuse another target while one of them updates, until the update is given up", async () => {
    const { servers, gateways } = await startTwo();
    const open = servers.map((server) => server.loads.hold());
    await update(gateways[0], 7, { wait_seconds: 0 });
    await expect.poll(() => loads(servers)).toHaveLength(2);
    const other = await update(gateways[1], 8);
    expect(other.refusal).toBe("409 weights_busy");
    expect(other.error.message).toContain("A weight update to version 7 is in progress (failed).");
    for (const each of open) each();
    await expect.poll(async () => (await record(gateways[0])).state).toBe("idle");
    expect(await record(gateways[0])).toMatchObject({ version: 7, error: null });
    expect((await update(gateways[1], 8)).json()).toMatchObject({ version: 8 });
  });

  it("refuse the steps of an update that the other one gave up", async () => {
    const { gateways, workers } = await startTwo();
    await update(gateways[0], 7, { path: undefined, mode: "external" });
    expect((await giveUp(gateways[1])).json()).toMatchObject({ state: "idle", version: 0 });
    const finished = await gateways[0].post("/rl/weights/finish", { version: 7 });
    expect(finished.refusal).toBe("502 weights_failed");
    expect(finished.error.message).toMatch(/Another gateway has replaced or given up the weight update \(\S+\)/);
    expect(workers.map(({ proxy }) => proxy.context.weightVersion.version)).toEqual([0, 0]);
    expect((await update(gateways[0], 9)).json()).toMatchObject({ state: "idle", version: 9 });
  });
});
