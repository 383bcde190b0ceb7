import { describe, expect, it, onTestFinished } from "vitest";
import { type Engine, NotLoadedError } from "../../../src/engine/engine.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import { createVllmEngine } from "../../../src/engine/vllm/create-vllm-engine.js";
import { startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { startVllmServer } from "../../helpers/vllm/vllm-server.js";
import { makeCall } from "../generate-call.js";

const common = { timeoutSeconds: 0, maxInflight: 8, healthSeconds: 0 };

interface Options {
  readonly missingPaths?: readonly string[];
  readonly silentPaths?: readonly string[];
  readonly serverInfo?: Readonly<Record<string, unknown>>;
}

const KINDS = {
  sglang: {
    server: (options: Options) => startSglangServer(options),
    engine: (url: string, weightsTimeoutSeconds?: number) =>
      createSglangEngine({ ...common, urls: [url], weightsTimeoutSeconds }),
    paths: ["/release_memory_occupation", "/resume_memory_occupation"],
  },
  vllm: {
    server: ({ missingPaths = [] }: Options) => startVllmServer({ missingPaths }),
    engine: (url: string, weightsTimeoutSeconds?: number) =>
      createVllmEngine({ ...common, urls: [url], weightsTimeoutSeconds }),
    paths: ["/sleep", "/wake_up"],
  },
} as const;

async function start(name: keyof typeof KINDS, options: Options = {}, seconds?: number) {
  const kind = KINDS[name];
  const server = await kind.server(options);
  const engine: Engine = kind.engine(server.url, seconds);
  onTestFinished(async () => {
    await engine.close();
    await server.close();
  });
  const update = engine.servers?.update;
  if (!update) throw new Error("the engine has no servers");
  const asked = () => kind.paths.map((path) => server.requests.filter((each) => each.path === path).length);
  return { server, engine, update, asked, paths: kind.paths };
}

describe.each(["sglang", "vllm"] as const)("a sleeping %s server", (name) => {
  it("frees its memory, and takes it again", async () => {
    const { server, update, asked, engine } = await start(name, { serverInfo: { enable_memory_saver: true } });
    await update.requireSleep(server.url);
    await update.pause([server.url], true);
    // SGLang loses its weights unless a flag keeps them; vLLM does not.
    expect(await update.sleep(server.url)).toBe(name === "vllm");
    expect(asked()).toEqual([1, 0]);
    await update.wake(server.url);
    expect(asked()).toEqual([1, 1]);
    await update.resume([server.url]);
    await update.release();
    await expect(engine.generate(makeCall([1]))).resolves.toMatchObject({ resumes: 0 });
  });

  it("is one that keeps its weights if it does not know the request", async () => {
    const { server, update, paths } = await start(name, { missingPaths: KINDS[name].paths });
    await expect(update.sleep(server.url)).rejects.toBeInstanceOf(NotLoadedError);
    await expect(update.sleep(server.url)).rejects.toThrow("HTTP 404");
    await expect(update.wake(server.url)).rejects.not.toBeInstanceOf(NotLoadedError);
    expect(paths).toHaveLength(2);
  });

  it("is not waited for when the caller has left", async () => {
    const { server, update } = await start(name);
    const left = AbortSignal.abort(new Error("left"));
    await expect(update.sleep(server.url, left)).rejects.toThrow("left");
    await expect(update.wake(server.url, left)).rejects.toThrow("left");
  });

  it("must be one of the engine's", async () => {
    const { update } = await start(name);
    expect(() => update.requireSleep("http://other")).toThrow("The engine has no server with the URL http://other.");
    await expect(update.sleep("http://other")).rejects.toThrow(RangeError);
  });
});

describe("an SGLang server", () => {
  it("keeps its weights with --enable-weights-cpu-backup", async () => {
    const { server, update } = await start("sglang", { serverInfo: { enable_weights_cpu_backup: true } });
    expect(await update.sleep(server.url)).toBe(true);
  });

  it("cannot sleep without --enable-memory-saver", async () => {
    const { server, update } = await start("sglang", { serverInfo: { enable_memory_saver: false } });
    await expect(update.requireSleep(server.url)).rejects.toThrow("Start SGLang with `--enable-memory-saver`.");
    const older = await start("sglang", { serverInfo: { enable_memory_saver: undefined } });
    await expect(older.update.requireSleep(older.server.url)).resolves.toBeUndefined();
  });

  it("has a time limit for its memory too", async () => {
    const { server, update } = await start("sglang", { silentPaths: KINDS.sglang.paths }, 0.05);
    await expect(update.sleep(server.url)).rejects.toThrow("did not answer within 0.05 seconds");
    await expect(update.wake(server.url)).rejects.toMatchObject({ code: "engine_timeout" });
  });
});

describe.each(["sglang", "vllm"] as const)("an adapter on a %s server", (name) => {
  const adapter = (id: string, version: number) => ({ name: id, path: `/adapters/${id}`, version });

  async function startLora(lora = true) {
    const server = name === "sglang" ? await startSglangServer({ lora }) : await startVllmServer({ lora });
    const engine: Engine = KINDS[name].engine(server.url);
    onTestFinished(async () => {
      await engine.close();
      await server.close();
    });
    const update = engine.servers?.update;
    if (!update) throw new Error("the engine has no servers");
    const run = async () => {
      const call = makeCall([1], { maxTokens: 2 });
      const { versionsUncertain } = await engine.generate(call);
      return [[...call.generation.versions()], versionsUncertain];
    };
    const path = name === "sglang" ? "/generate" : "/inference/v1/generate";
    const field = name === "sglang" ? "lora_path" : "model";
    const named = () => server.to(path).map(({ json }) => json[field]);
    return { server, update, run, named };
  }

  it("is used by later calls, whose tokens have its version", async () => {
    const { server, update, run, named } = await startLora();
    const base = name === "sglang" ? undefined : "tiny";
    expect(await run()).toEqual([[0, 0], false]);
    await update.loadAdapter(server.url, adapter("a", 7));
    expect((await run())[0]).toEqual([0, 0]);
    update.useAdapter(adapter("a", 7));
    expect(await run()).toEqual([[7, 7], false]);
    update.useAdapter(undefined);
    await run();
    expect(named()).toEqual([base, base, "a", base]);
    expect(server.adapters).toEqual(["a"]);
  });

  it("is unloaded after the next but one is used", async () => {
    const { server, update } = await startLora();
    for (const id of ["a", "b", "c"]) {
      await update.loadAdapter(server.url, adapter(id, 1));
      update.useAdapter(adapter(id, 1));
    }
    await expect.poll(() => server.adapters).toEqual(["b", "c"]);
  });

  it("fails its calls with what to do if the server has lost it", async () => {
    if (name !== "sglang") return;
    const { server, update, run } = await startLora();
    await update.loadAdapter(server.url, adapter("a", 7));
    update.useAdapter(adapter("a", 7));
    server.fault({ kind: "refused", message: "Got LoRA adapter that has never been loaded: a" });
    await expect(run()).rejects.toThrow(
      "The engine has lost the adapter a, because it was restarted. Load the next adapter with `POST /rl/weights`.",
    );
    server.fault({ kind: "refused", message: "too long" });
    await expect(run()).rejects.toMatchObject({ code: "engine_rejected_request" });
  });

  it("needs a flag of the server", async () => {
    const { server, update } = await startLora(false);
    await expect(update.loadAdapter(server.url, adapter("a", 1))).rejects.toThrow(/LoRA|--enable-lora/);
  });
});
