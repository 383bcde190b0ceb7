import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ProxyError } from "../../src/client/errors.js";
import { InProcessClient } from "../../src/client/in-process-client.js";
import { failedWeights, type WeightsStatus } from "../../src/client/weight-calls.js";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine, ensureTinyModel } from "../../src/engine/index.js";
import { RolloutController } from "../../src/job/controller.js";
import { loadChatModel } from "../../src/model/load-chat-model.js";
import { ProxyWorkflow } from "../../src/rollout/proxy-workflow.js";
import { createAgent } from "../helpers/agents.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { LocalEngine } from "../helpers/local-engine.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";

const PATH = "/weights/step-7";

async function start() {
  const server = await startSglangServer();
  const engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 4 });
  onTestFinished(async () => {
    await engine.close();
    await server.close();
  });
  const { engine: connected, proxy } = await listeningProxy<Engine>({ engine });
  return { server, proxy, connected, admin: connected.admin };
}

describe("the weight calls of AdminClient", () => {
  it("update the weights and return the status", async () => {
    const { server, admin } = await start();
    const status = await admin.updateWeights({ version: 7, path: PATH });
    expect(status).toMatchObject({ state: "idle", version: 7, targetVersion: null, error: null });
    expect(status.servers).toEqual([
      { url: server.url, version: 7, state: "loaded", seconds: expect.any(Number) as number, error: null },
    ]);
    expect(await admin.weights()).toEqual(status);
    expect(server.scheduler.weights).toBe(PATH);
  });

  it("reject incomplete weights, unless they may be partial", async () => {
    const { admin } = await start();
    const path = mkdtempSync(join(tmpdir(), "rolltape-empty-"));
    onTestFinished(() => rmSync(path, { recursive: true }));
    await expect(admin.updateWeights({ version: 7, path })).rejects.toMatchObject({
      code: "weights_incomplete",
      status: 422,
    });
    const status = await admin.updateWeights({ version: 7, path, allowPartial: true });
    expect(status).toMatchObject({ version: 7, checked: false, notChecked: "`allow_partial` is set." });
  });

  it("show the progress", async () => {
    const { server, admin } = await start();
    const open = server.loads.hold();
    const seen: WeightsStatus[] = [];
    const updating = admin.updateWeights({ version: 7, path: PATH }, { onProgress: (status) => seen.push(status) });
    await expect.poll(() => seen.at(-1)).toMatchObject({ state: "loading", targetVersion: 7, path: PATH });
    open();
    await updating;
    expect(seen.at(-1)).toMatchObject({ state: "idle", version: 7 });
  });

  it("reject with the versions of the servers if the update fails, which can be given up", async () => {
    const { server, admin } = await start();
    server.loads.faults.push({ kind: "fail", message: "no such tensor" }, { kind: "fail", message: "no such tensor" });
    for (const options of [{}, { onProgress: () => undefined }]) {
      const failed = admin.updateWeights({ version: 7, path: PATH }, options);
      await expect(failed).rejects.toMatchObject({ code: "weights_failed", status: 502 });
      await expect(failed).rejects.toThrow("no such tensor");
      await expect(failed).rejects.toMatchObject({
        details: { weights: { state: "failed", targetVersion: 7, servers: [{ version: null, state: "failed" }] } },
      });
    }
    expect(await admin.abandonWeights()).toMatchObject({ state: "idle", version: 0, servers: [{ state: "excluded" }] });
    await admin.updateWeights({ version: 7, path: PATH });
    expect(await admin.abandonWeights()).toMatchObject({ state: "idle", version: 7 });
  });

  it("split an external update", async () => {
    const { server, admin } = await start();
    expect(await admin.updateWeights({ version: 7, external: true })).toMatchObject({ state: "external" });
    server.scheduler.load("pushed");
    expect(await admin.finishWeights(7)).toMatchObject({ state: "idle", version: 7 });
  });

  it("stop waiting with the signal; the update goes on", async () => {
    const { server, admin } = await start();
    const open = server.loads.hold();
    const caller = new AbortController();
    const updating = admin.updateWeights({ version: 7, path: PATH }, { signal: caller.signal });
    await expect.poll(async () => (await admin.weights()).state).toBe("loading");
    caller.abort(new Error("enough"));
    await expect(updating).rejects.toThrow("enough");
    open();
    await expect.poll(() => admin.weights()).toMatchObject({ state: "idle", version: 7 });
  });

  it("reach a proxy in the same process", async () => {
    const { folder } = await ensureTinyModel();
    const tokenizer = await loadChatModel(folder);
    onTestFinished(() => tokenizer.close());
    const engine = new LocalEngine();
    const client = await InProcessClient.open({ engine, tokenizer });
    await client.trainer.updateWeights({ version: 7, path: PATH });
    expect(engine.weights).toBe(PATH);
    await client.session.end();
  });
});

describe("RolloutController.setVersion with a path", () => {
  const limits = { maxConcurrentRollouts: 2, maxStaleness: 0, consumerBatchSize: 1 };

  it("has the proxy load the weights and set the version", async () => {
    const { server, proxy, connected } = await start();
    const controller = new RolloutController(new ProxyWorkflow(createAgent(1, () => 1)), connected, limits);
    controller.submit("rain");
    await controller.waitBatch();
    await controller.setVersion(1, { path: PATH });
    expect([controller.version, proxy.context.weightVersion.version]).toEqual([1, 1]);
    expect(server.scheduler.weights).toBe(PATH);
  });

  it("keeps its version if the load fails", async () => {
    const { server, connected } = await start();
    server.loads.faults.push({ kind: "fail", message: "no such tensor" });
    const controller = new RolloutController(new ProxyWorkflow(createAgent(1, () => 1)), connected, limits);
    await expect(controller.setVersion(1, { path: PATH })).rejects.toMatchObject({ code: "weights_failed" });
    expect(controller.version).toBe(0);
    await controller.setVersion(1, { path: PATH });
    expect(controller.version).toBe(1);
  });
});

describe("the weights of an error", () => {
  it("are those of a failed update only", () => {
    const weights = { state: "failed" };
    const error = (code: string) => new ProxyError(code, "", { details: { weights } });
    expect(failedWeights(error("weights_failed"))).toBe(weights);
    expect(failedWeights(error("weights_busy"))).toBeUndefined();
    expect(
      failedWeights(Object.assign(new Error(""), { code: "weights_failed", details: { weights } })),
    ).toBeUndefined();
  });
});
