import { afterEach, describe, expect, it } from "vitest";
import { type Engine, NotLoadedError, type ServerUpdate } from "../../../src/engine/engine.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import { createVllmEngine } from "../../../src/engine/vllm/create-vllm-engine.js";
import { type SglangServer, startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { startVllmServer, type VllmServer } from "../../helpers/vllm/vllm-server.js";
import { makeCall, makePrompt } from "../generate-call.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

type TestServer = SglangServer | VllmServer;

interface EngineKind {
  readonly start: (options?: { missingPaths?: readonly string[] }) => Promise<TestServer>;
  readonly engine: (urls: string[], weightsTimeoutSeconds?: number) => Engine;
  readonly loadPath: string;
  readonly flushPath: string;
}

const common = { timeoutSeconds: 0, maxInflight: 8, healthSeconds: 0 };
const complete = ({ inputLength }: { inputLength: number }) =>
  Array.from({ length: 100 }, (_, index) => 100 + inputLength + index);
const slow = { complete, tokenMilliseconds: 3 };
/** SGLang before 0.5.21, whose generations are cut. */
const CUTTING = { serverInfo: { version: "0.5.20" } };

const KINDS: [string, EngineKind][] = [
  [
    "sglang",
    {
      start: (options) => startSglangServer({ ...slow, ...CUTTING, ...options }),
      engine: (urls, weightsTimeoutSeconds) => createSglangEngine({ ...common, urls, weightsTimeoutSeconds }),
      loadPath: "/update_weights_from_disk",
      flushPath: "/flush_cache",
    },
  ],
  [
    "vllm",
    {
      start: (options) => startVllmServer({ ...slow, ...options }),
      engine: (urls, weightsTimeoutSeconds) => createVllmEngine({ ...common, urls, weightsTimeoutSeconds }),
      loadPath: "/collective_rpc",
      flushPath: "/reset_prefix_cache",
    },
  ],
];

describe.each(KINDS)("a weight update of %s servers", (_, kind) => {
  async function start(options: { missingPaths?: readonly string[]; seconds?: number } = {}) {
    const server = await kind.start(options);
    const engine = kind.engine([server.url], options.seconds);
    open.push(server, engine);
    const update = engine.servers?.update;
    if (!update) throw new Error("the engine has no servers");
    return { server, engine, update };
  }

  const load = async (update: ServerUpdate, url: string, version: number) => {
    await update.load(url, { path: `/weights/${version}`, version });
    await update.finish(url, version);
  };

  it("loads in a pause, flushes the caches, sets the version and resumes what it cut", async () => {
    const { server, engine, update } = await start();
    let version = 1;
    const call = makeCall(makePrompt(10), { maxTokens: 30 }, { currentVersion: () => version });
    const running = engine.generate(call);
    await expect.poll(() => server.scheduler.pendingTokens, { interval: 2 }).toBeGreaterThan(3);
    expect(await update.pause([server.url])).toEqual(new Map());
    await load(update, server.url, 7);
    version = 7;
    server.scheduler.tokenMilliseconds = 0;
    expect(await update.resume([server.url])).toEqual(new Map());
    expect(server.scheduler.pending).toBe(0);
    await update.release();
    await expect(running).resolves.toMatchObject({ resumes: 1 });
    expect(Array.from(call.generation.ids())).toEqual(Array.from({ length: 30 }, (_, index) => 110 + index));
    expect(Array.from(new Set(call.generation.versions()))).toEqual([1, 7]);
    const { scheduler } = server;
    expect([scheduler.weights, scheduler.weightVersion]).toEqual(["/weights/7", "7"]);
    expect([scheduler.staleHits, scheduler.loadsWhileRunning]).toEqual([0, 0]);
    expect([server.to(kind.loadPath).length, server.to(kind.flushPath).length]).toEqual([1, 1]);
  });

  it("stays paused if a server cannot be paused, and names it", async () => {
    const { server } = await start();
    const other = await kind.start();
    await other.close();
    const engine = kind.engine([server.url, other.url]);
    open.push(engine);
    const update = engine.servers?.update;
    const failures = await update?.pause([server.url, other.url]);
    expect([...(failures ?? [])]).toEqual([[other.url, expect.objectContaining({ code: "engine_unavailable" })]]);
    expect([engine.servers?.paused, server.scheduler.paused]).toEqual(["abort", true]);
    expect(await update?.resume([server.url])).toEqual(new Map());
    expect(engine.servers?.paused).toBe("abort");
    await update?.release();
    expect(engine.servers?.paused).toBeUndefined();
  });

  it("reports why a server did not load", async () => {
    const { server, update } = await start();
    server.loads.faults.push({ kind: "fail", message: "no safetensors found" });
    await expect(load(update, server.url, 7)).rejects.toThrow("no safetensors found");
    expect(server.scheduler.weights).toBe("initial");
  });

  it("loads good weights right after a load that failed", async () => {
    const { server, update } = await start();
    server.loads.faults.push({ kind: "fail", message: "wrong shape" });
    await expect(load(update, server.url, 7)).rejects.toThrow("wrong shape");
    await load(update, server.url, 8);
    expect(server.scheduler.weights).toBe("/weights/8");
  });

  it("reports a server without the endpoint as one that still has its weights", async () => {
    const { server, update } = await start({ missingPaths: [kind.loadPath] });
    await expect(load(update, server.url, 7)).rejects.toBeInstanceOf(NotLoadedError);
  });

  it("keeps its weights if SGLang cannot open the new ones", async () => {
    const { server, update } = await start();
    const message = "Failed to get weights iterator: Repo id must be in the form 'repo_name' or 'namespace/repo_name'.";
    server.loads.faults.push({ kind: "fail", message });
    const error: unknown = await load(update, server.url, 7).catch((each: unknown) => each);
    expect((error as Error).message).toContain("Failed to get weights iterator");
    expect(error instanceof NotLoadedError).toBe(kind.loadPath !== "/collective_rpc");
  });

  it("gives up on a server that never answers", async () => {
    const { server, update } = await start({ seconds: 0.05 });
    server.loads.faults.push({ kind: "hang" });
    const refused = load(update, server.url, 7);
    await expect(refused).rejects.toMatchObject({ code: "engine_timeout" });
    await expect(refused).rejects.toThrow("did not answer within 0.05 seconds");
  });

  it("does not need the endpoint that sets the version", async () => {
    const { server, update } = await start({ missingPaths: ["/update_weight_version"] });
    await load(update, server.url, 7);
    expect(server.scheduler.weights).toBe("/weights/7");
  });
});

describe("a weight update of sglang servers", () => {
  it("fails if the server keeps its caches, because they were computed with the old weights", async () => {
    const server = await startSglangServer(slow);
    const engine = createSglangEngine({ ...common, urls: [server.url], weightsTimeoutSeconds: 0.3 });
    open.push(server, engine);
    const running = engine.generate(makeCall(makePrompt(10), { maxTokens: 30 }));
    await expect.poll(() => server.scheduler.pending, { interval: 2 }).toBe(1);
    server.scheduler.pause("in_place");
    await expect(engine.servers?.update.finish(server.url, 7)).rejects.toMatchObject({ code: "engine_timeout" });
    server.scheduler.continue();
    await running;
    await expect(engine.servers?.update.finish(server.url, 7)).resolves.toBeUndefined();
  });

  it("fails at once if the server cannot flush its caches", async () => {
    const server = await startSglangServer({ ...slow, missingPaths: ["/flush_cache"] });
    const engine = createSglangEngine({ ...common, urls: [server.url] });
    open.push(server, engine);
    await expect(engine.servers?.update.finish(server.url, 7)).rejects.toThrow("HTTP 404");
  });

  it("sends the admin key", async () => {
    const server = await startSglangServer({ ...slow, apiKey: "key", adminApiKey: "admin" });
    const options = { ...common, urls: [server.url], apiKey: "key" };
    const [engine, refused] = [createSglangEngine({ ...options, adminApiKey: "admin" }), createSglangEngine(options)];
    open.push(server, engine, refused);
    await expect(engine.servers?.update.load(server.url, { path: "/w", version: 1 })).resolves.toBeUndefined();
    await expect(engine.servers?.update.finish(server.url, 1)).resolves.toBeUndefined();
    await expect(refused.servers?.update.load(server.url, { path: "/w", version: 1 })).rejects.toBeInstanceOf(
      NotLoadedError,
    );
  });
});
