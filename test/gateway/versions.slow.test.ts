import { describe, expect, it, onTestFinished } from "vitest";
import { registerWorker } from "../../src/admin-api/worker-registration.js";
import { parseConfig } from "../../src/config/index.js";
import { type RunningServer, startServer } from "../../src/server/start.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { Gateway, readWorkerTag, startWorker, type WorkerServer } from "./workers.js";

/** Makes a call in a session, ends it, and returns the versions of the sampled tokens. */
async function sampledVersions(gateway: Gateway, session: { id: string; key: string }): Promise<number[]> {
  await gateway.chat(session.key, "hello", { max_tokens: 4 });
  await gateway.post("/rl/end_session", {}, session.key);
  const { raw } = await gateway.post("/export_batch", { session_ids: [session.id] });
  const versions = readSafetensors(raw).tensors["versions"]?.data ?? [];
  return [...new Set(versions.filter((version) => version >= 0))];
}

function listVersions(workers: readonly WorkerServer[]): number[] {
  return workers.map(({ proxy }) => proxy.context.weightVersion.version);
}

describe("a worker that is killed and restarted at its address, without a folder", () => {
  async function restarted(tag: string): Promise<{ gateway: Gateway; worker: WorkerServer }> {
    const first = await startWorker("one");
    const port = Number(new URL(first.url).port);
    const gateway = await Gateway.start({ urls: [first.url] });
    await gateway.post("/rl/set_version", { version: 6 });
    await first.kill();
    return { gateway, worker: await startWorker(tag, { port }) };
  }

  it("starts its first session with the version from before the restart", async () => {
    const { gateway } = await restarted("two");
    await gateway.pool.refresh();
    expect(await sampledVersions(gateway, await gateway.session())).toEqual([6]);
  });

  it("does so with a fixed tag, before the gateway notices the restart", async () => {
    const { gateway } = await restarted("one");
    expect(await sampledVersions(gateway, await gateway.session())).toEqual([6]);
  });

  it("receives the version of other workers through a gateway that restarted, too", async () => {
    const [one, two] = [await startWorker("one"), await startWorker("two")];
    const former = await Gateway.start({ urls: [one.url, two.url] });
    await former.post("/rl/set_version", { version: 6 });
    await two.kill();
    await startWorker("two", { port: Number(new URL(two.url).port) });
    const gateway = await Gateway.start({ urls: [one.url, two.url] });
    const sessions = [await gateway.session(), await gateway.session()];
    expect(sessions.map(({ id }) => readWorkerTag(id)).sort()).toEqual(["one", "two"]);
    for (const session of sessions) expect(await sampledVersions(gateway, session)).toEqual([6]);
  });

  it("keeps version 0 from a trainer that restarted", async () => {
    const [one, two] = [await startWorker("one"), await startWorker("two")];
    const gateway = await Gateway.start({ urls: [one.url, two.url] });
    for (const version of [6, 0]) await gateway.post("/rl/set_version", { version });
    expect(listVersions([one, two])).toEqual([0, 0]);
    await gateway.session();
    await gateway.session();
    expect(listVersions([one, two])).toEqual([0, 0]);
  });
});

describe("set_version through a gateway", () => {
  it("reaches a worker that joins during the call", async () => {
    const folder = temporaryFolder();
    const first = await startWorker("one");
    registerWorker(folder, { url: first.url, tag: "one" });
    const gateway = await Gateway.start({ folder });
    const late = await startWorker("two");
    // Registers when the gateway has already read the folder and calls the first worker.
    first.proxy.app.server.prependListener("request", ({ url }) => {
      if (url === "/rl/set_version") registerWorker(folder, { url: late.url, tag: "two" });
    });
    expect((await gateway.post("/rl/set_version", { version: 6 })).json()).toEqual({ version: 6 });
    expect(listVersions([first, late])).toEqual([6, 6]);
  });

  it("reaches a worker that missed it before the next session there", async () => {
    const [one, two] = [await startWorker("one"), await startWorker("two")];
    const former = await Gateway.start({ urls: [one.url, two.url] });
    await former.post("/rl/set_version", { version: 5 });
    // Acts like a broken connection to the second worker.
    const apart = await Gateway.start({ urls: [one.url] });
    await apart.post("/rl/set_version", { version: 6 });
    expect(listVersions([one, two])).toEqual([6, 5]);
    await former.pool.refresh();
    await former.session();
    await former.session();
    expect(listVersions([one, two])).toEqual([6, 6]);
  });

  it("replaces the version even if a worker's clock runs ahead", async () => {
    const worker = await startWorker("one");
    const gateway = await Gateway.start({ urls: [worker.url] });
    const set_at = Date.now() / 1000 + 3600;
    await worker.proxy.post("/rl/set_version", { version: 9, set_at });
    expect((await gateway.post("/rl/set_version", { version: 3 })).json()).toEqual({ version: 3 });
    expect(listVersions([worker])).toEqual([3]);
    await worker.proxy.post("/rl/set_version", { version: 4 });
    expect(listVersions([worker])).toEqual([4]);
  });

  it("is dropped if the workers reject it", async () => {
    const worker = await startWorker("one");
    const gateway = await Gateway.start({ urls: [worker.url] });
    const refused = await gateway.post("/rl/set_version", { version: 9 }, "sk-nobody-knows-this");
    expect(refused.refusal).toBe("401 invalid_api_key");
    await gateway.session();
    expect(listVersions([worker])).toEqual([0]);
  });

  it("names the worker that rejects it", async () => {
    const [one, two] = [await startWorker("one"), await startWorker("two")];
    const gateway = await Gateway.start({ urls: [one.url, two.url] });
    await two.kill();
    const reply = await gateway.post("/rl/set_version", { version: 9 });
    expect([reply.refusal, reply.error["worker"]]).toEqual(["503 worker_unavailable", "two"]);
    expect(reply.error.message).toBe(
      "Worker two did not answer. Other workers may have the new version; repeat the call.",
    );
  });

  it("is shown for each worker in the gateway's health", async () => {
    const worker = await startWorker("one");
    const gateway = await Gateway.start({ urls: [worker.url] });
    await gateway.post("/rl/set_version", { version: 9 });
    await gateway.pool.refresh();
    expect((await gateway.get("/health", null)).json()).toMatchObject({
      workers: [{ weight_version: { version: 9 } }],
    });
  });
});

describe("the registration folder", () => {
  async function serve(folder: string): Promise<RunningServer> {
    const config = parseConfig({ server: { port: 0, shutdown_seconds: 0, workers_folder: folder } });
    const server = await startServer(config, { adminKey: ADMIN_KEY });
    onTestFinished(async () => void (await server.close()));
    return server;
  }

  it("has the current version for a late worker before its first call, without a gateway", async () => {
    const folder = temporaryFolder();
    const first = await serve(folder);
    const gateway = await Gateway.start({ folder });
    expect(gateway.pool.living()).toHaveLength(1);
    await gateway.post("/rl/set_version", { version: 6 });
    await first.close();
    const late = await serve(folder);
    // A gateway that knows no version and has no other worker.
    const direct = await Gateway.start({ urls: [late.url] });
    expect(await sampledVersions(direct, await direct.session())).toEqual([6]);
  });
});
