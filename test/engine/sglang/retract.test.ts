import { afterEach, describe, expect, it } from "vitest";
import type { ServerUpdate } from "../../../src/engine/engine.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import { type SglangServer, startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { makeCall, makePrompt } from "../generate-call.js";

/** Weight updates with SGLang's pause mode `retract`: generations stay on the server. */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

const complete = ({ inputLength }: { inputLength: number }) =>
  Array.from({ length: 100 }, (_, index) => 100 + inputLength + index);

async function startServer(version: string): Promise<SglangServer> {
  const options = { complete, tokenMilliseconds: 3, weightVersion: "1", weightVersionSpans: true };
  const server = await startSglangServer({ ...options, serverInfo: { version } });
  open.push(server);
  return server;
}

function createEngine(servers: readonly SglangServer[]) {
  const urls = servers.map(({ url }) => url);
  const engine = createSglangEngine({ urls, timeoutSeconds: 0, maxInflight: 8, healthSeconds: 0 });
  open.push(engine);
  const update = engine.servers?.update;
  if (!update) throw new Error("the engine has no servers");
  return { engine, update };
}

async function start(version = "0.5.23") {
  const server = await startServer(version);
  return { server, ...createEngine([server]) };
}

const modes = (server: SglangServer) => server.to("/pause_generation").map(({ json }) => json["mode"]);
async function someTokens({ scheduler }: SglangServer): Promise<void> {
  await expect.poll(() => scheduler.pendingTokens, { interval: 2 }).toBeGreaterThan(3);
}

async function load(update: ServerUpdate, url: string, version: number): Promise<void> {
  await update.load(url, { path: `/weights/${version}`, version });
  await update.finish(url, version);
  await update.resume([url]);
}

const callOf = (streams: boolean, sampling = {}) =>
  makeCall(
    makePrompt(10),
    { maxTokens: 30, ...sampling },
    { currentVersion: () => 1, ...(streams ? { onTokens: () => undefined } : {}) },
  );

const OUTPUT = Array.from({ length: 30 }, (_, index) => 110 + index);

describe("a weight update", () => {
  it.each([false, true])("leaves generations on the server, streamed: %s", async (streams) => {
    const { server, engine, update } = await start();
    const call = callOf(streams);
    const running = engine.generate(call);
    await someTokens(server);
    expect(await update.pause([server.url])).toEqual(new Map());
    expect(modes(server)).toEqual(["retract"]);
    await load(update, server.url, 7);
    await update.release();
    expect(await running).toMatchObject({ resumes: 0 });
    expect(Array.from(call.generation.ids())).toEqual(OUTPUT);
    expect([...new Set(call.generation.versions())]).toEqual([1, 7]);
    expect([server.scheduler.staleHits, server.scheduler.loadsWhileRunning]).toEqual([0, 0]);
    expect(server.to("/generate")).toHaveLength(1);
  });

  it("lets a stream with a grammar go on", async () => {
    const { server, engine, update } = await start();
    const running = engine.generate(callOf(true, { grammar: { kind: "regex", pattern: ".*" } }));
    await someTokens(server);
    await update.pause([server.url]);
    await load(update, server.url, 7);
    await update.release();
    expect(await running).toMatchObject({ resumes: 0 });
  });

  it("ends the pause until a grammar is compiled, because the caches cannot be flushed before", async () => {
    const { server, update } = await start();
    server.scheduler.compiling = 2;
    expect(await update.pause([server.url])).toEqual(new Map());
    expect([modes(server), server.to("/continue_generation").length]).toEqual([["retract", "retract", "retract"], 2]);
    await load(update, server.url, 7);
  });

  it.each(["0.5.20", "0.5.9", "unknown"])(
    "cuts generations on version %s, after the end of any other pause",
    async (version) => {
      const { server, engine, update } = await start(version);
      const call = callOf(false);
      const running = engine.generate(call);
      await someTokens(server);
      await engine.servers?.pause("keep");
      expect(await update.pause([server.url])).toEqual(new Map());
      expect([modes(server), server.to("/continue_generation").length]).toEqual([["in_place", "abort"], 1]);
      await load(update, server.url, 7);
      await update.release();
      expect(await running).toMatchObject({ resumes: 1 });
      expect(Array.from(call.generation.ids())).toEqual(OUTPUT);
    },
  );

  it.each([false, true])(
    "that leaves a server paused moves its generations to others, streamed: %s",
    async (streams) => {
      const servers = [await startServer("0.5.23"), await startServer("0.5.23")];
      const { engine, update } = createEngine(servers);
      const call = callOf(streams);
      const running = engine.generate(call);
      await expect.poll(() => Math.max(...servers.map(({ scheduler }) => scheduler.pendingTokens))).toBeGreaterThan(3);
      const failed = servers.find(({ scheduler }) => scheduler.pending > 0);
      const other = servers.find((server) => server !== failed);
      if (!failed || !other) throw new Error("no server has the call");
      await update.pause(servers.map(({ url }) => url));
      await load(update, other.url, 7);
      update.abandon(failed.url);
      await engine.servers?.drain(failed.url);
      await expect.poll(() => failed.scheduler.pending).toBe(0);
      await update.release();
      expect(await running).toMatchObject({ resumes: 1 });
      expect(Array.from(call.generation.ids())).toEqual(OUTPUT);
      expect(other.to("/generate")).toHaveLength(1);
      const counts = engine.servers?.list().map((state) => [state.counts.failed, state.counts.completed]);
      expect(counts).toEqual([
        [0, 1],
        [0, 1],
      ]);
    },
  );

  it("continues the generations of a server that dies during the update", async () => {
    const servers = [await startServer("0.5.23"), await startServer("0.5.23")];
    const { engine, update } = createEngine(servers);
    const call = callOf(true);
    const running = engine.generate(call);
    await expect.poll(() => Math.max(...servers.map(({ scheduler }) => scheduler.pendingTokens))).toBeGreaterThan(3);
    const dead = servers.find(({ scheduler }) => scheduler.pending > 0);
    await update.pause(servers.map(({ url }) => url));
    await dead?.close();
    for (const { url } of servers) if (url !== dead?.url) await load(update, url, 7);
    await engine.servers?.drain(dead?.url ?? "");
    await update.release();
    expect(await running).toMatchObject({ resumes: 1 });
    expect(Array.from(call.generation.ids())).toEqual(OUTPUT);
  });
});
