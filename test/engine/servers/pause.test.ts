import { afterEach, describe, expect, it } from "vitest";
import type { Engine, PauseMode } from "../../../src/engine/engine.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import { createVllmEngine } from "../../../src/engine/vllm/create-vllm-engine.js";
import { startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { startVllmServer } from "../../helpers/vllm/vllm-server.js";
import { makeCall, makePrompt } from "../generate-call.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

interface PausableServer {
  readonly url: string;
  readonly scheduler: { readonly pendingTokens: number; tokenMilliseconds: number; weightVersion: string };
  to(path: string): { readonly json: Record<string, unknown>; readonly url: URL }[];
  close(): Promise<void>;
}

interface EngineKind {
  readonly start: () => Promise<PausableServer>;
  readonly engine: (urls: string[]) => Engine;
  readonly generatePath: string;
  /** Returns the pause modes that the server received. */
  readonly modes: (server: PausableServer) => unknown[];
  readonly modeNames: Readonly<Record<PauseMode, string>>;
}

const common = { timeoutSeconds: 0, maxInflight: 8 };
const complete = ({ inputLength }: { inputLength: number }) =>
  Array.from({ length: 100 }, (_, index) => 100 + inputLength + index);

const KINDS: [string, EngineKind][] = [
  [
    "sglang",
    {
      start: () => startSglangServer({ complete, tokenMilliseconds: 3 }),
      engine: (urls) => createSglangEngine({ ...common, urls }),
      generatePath: "/generate",
      modes: (server) => server.to("/pause_generation").map(({ json }) => json["mode"]),
      modeNames: { abort: "abort", keep: "in_place" },
    },
  ],
  [
    "vllm",
    {
      start: () => startVllmServer({ complete, tokenMilliseconds: 3 }),
      engine: (urls) => createVllmEngine({ ...common, urls }),
      generatePath: "/inference/v1/generate",
      modes: (server) => server.to("/pause").map(({ url }) => url.searchParams.get("mode")),
      modeNames: { abort: "abort", keep: "keep" },
    },
  ],
];

describe.each(KINDS)("a paused %s engine", (_, kind) => {
  async function start(): Promise<{ server: PausableServer; engine: Engine }> {
    const server = await kind.start();
    const engine = kind.engine([server.url]);
    open.push(server, engine);
    return { server, engine };
  }

  const cases: [PauseMode, boolean][] = [
    ["abort", false],
    ["abort", true],
    ["keep", false],
    ["keep", true],
  ];
  it.each(cases)("(%s, streamed: %s) continues its calls when it is resumed", async (mode, streams) => {
    const { server, engine } = await start();
    let version = 1;
    const call = makeCall(
      makePrompt(10),
      { maxTokens: 30 },
      { currentVersion: () => version, ...(streams ? { onTokens: () => undefined } : {}) },
    );
    const running = engine.generate(call);
    await expect.poll(() => server.scheduler.pendingTokens, { interval: 2 }).toBeGreaterThan(3);
    await engine.servers?.pause(mode);
    expect(kind.modes(server)).toEqual([kind.modeNames[mode]]);
    version = 2;
    server.scheduler.tokenMilliseconds = 0;
    await engine.servers?.resume();
    const { resumes, versionsUncertain } = await running;
    expect(resumes).toBe(mode === "abort" ? 1 : 0);
    expect(Array.from(call.generation.ids())).toEqual(Array.from({ length: 30 }, (_, index) => 110 + index));
    const versions = Array.from(call.generation.versions());
    // The version changed in the pause. A reply that is not streamed does not show which tokens came before.
    expect(new Set(versions)).toEqual(new Set(mode === "abort" || streams ? [1, 2] : [1]));
    expect(versionsUncertain || streams).toBe(mode === "keep" || streams);
  });

  it("holds back new calls, and ends those whose client disconnects", async () => {
    const { server, engine } = await start();
    await engine.servers?.pause("abort");
    const controller = new AbortController();
    const leaving = engine.generate(makeCall([1], { maxTokens: 1 }), controller.signal);
    const staying = engine.generate(makeCall([2], { maxTokens: 1 }));
    controller.abort(new Error("left"));
    await expect(leaving).rejects.toThrow("left");
    expect(server.to(kind.generatePath)).toHaveLength(0);
    await engine.servers?.resume();
    await staying;
    expect(server.to(kind.generatePath)).toHaveLength(1);
  });

  it("is resumed if a server cannot be paused, unless that server is being drained", async () => {
    const { server } = await start();
    const other = await kind.start();
    await other.close();
    const engine = kind.engine([server.url, other.url]);
    open.push(engine);
    const refused = engine.servers?.pause("abort");
    await expect(refused).rejects.toMatchObject({ code: "engine_unavailable" });
    await expect(refused).rejects.toThrow(other.url);
    expect(engine.servers?.paused).toBeUndefined();
    await expect(engine.generate(makeCall([1], { maxTokens: 1 }))).resolves.toMatchObject({ resumes: 0 });
    await engine.servers?.drain(other.url);
    await engine.servers?.pause("abort");
    expect(engine.servers?.paused).toBe("abort");
    await engine.servers?.resume();
    expect(engine.servers?.paused).toBeUndefined();
  });

  it("is resumed only after a pause that is still in progress", async () => {
    const { server, engine } = await start();
    const pausing = engine.servers?.pause("abort");
    const resuming = engine.servers?.resume();
    await Promise.all([pausing, resuming]);
    expect(engine.servers?.paused).toBeUndefined();
    await expect(engine.generate(makeCall([1], { maxTokens: 1 }))).resolves.toMatchObject({ resumes: 0 });
    expect(server.scheduler.pendingTokens).toBe(0);
  });
});
