import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ensureTinyModel } from "../../../src/engine/index.js";
import { ENGINES_FOLDER, type EngineName, engineEnvironment, installEngine } from "./install-engine.js";

/** Variable with which `main.ts` tells the tests which engine they run against. */
export const ENGINE_VARIABLE = "ROLLTAPE_REAL_ENGINE";

/** The engine of a run. */
export interface RealEngine {
  readonly name: EngineName;
  readonly url: string;
  /** Name under which the server serves the model. */
  readonly served: string;
  /** Hugging Face folder of the model: tokenizer, configuration and weights. */
  readonly model: string;
  /** Interpreter with torch, transformers and xgrammar. Undefined if the address of a server was given. */
  readonly python: string | undefined;
  /** Run only what takes little time. */
  readonly quick: boolean;
}

/** Returns the engine that `npm run test:real` has started, or whose address it was given. */
export function openRealEngine(): RealEngine {
  const value = process.env[ENGINE_VARIABLE];
  if (value === undefined) throw new Error("Run these tests with `npm run test:real`.");
  return JSON.parse(value) as RealEngine;
}

export interface EngineServerOptions {
  /** Arguments in addition to {@link DEFAULT_FLAGS}; a later argument replaces an earlier one. */
  readonly flags?: readonly string[];
  /** Arguments of {@link DEFAULT_FLAGS} to leave out, each with its value. */
  readonly without?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the tiny model. */
  readonly model?: string;
}

export interface EngineServer {
  readonly url: string;
  readonly model: string;
  readonly served: string;
  readonly python: string;
  /** Process id of the server's first process, whose group has all of them. */
  readonly pid: number;
  /** What the server has printed so far. */
  log(): string;
  stop(): Promise<void>;
}

const SERVED = "tiny";

/** What a server is started with, so that its numbers can be compared and all of its endpoints answer. */
export const DEFAULT_FLAGS: Readonly<Record<EngineName, readonly string[]>> = {
  vllm: words(
    `--served-model-name ${SERVED} --max-model-len 4096 --dtype float32 --block-size 32`,
    "--enable-scale-out --logprobs-mode processed_logprobs --max-logprobs 21",
  ),
  sglang: words(
    `--served-model-name ${SERVED} --context-length 4096 --max-total-tokens 20000 --dtype float32`,
    "--grammar-backend xgrammar --enable-metrics --sleep-on-idle",
    "--device cpu --attention-backend torch_native --sampling-backend pytorch --disable-overlap-schedule",
    "--cuda-graph-backend-decode disabled --cuda-graph-backend-prefill disabled",
  ),
};

function words(...lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(" "));
}

const ENVIRONMENT: Readonly<Record<EngineName, Readonly<Record<string, string>>>> = {
  vllm: {
    VLLM_CPU_KVCACHE_SPACE: "1",
    // Opens the endpoints for pauses, weights and caches.
    VLLM_SERVER_DEV_MODE: "1",
    VLLM_NO_USAGE_STATS: "1",
    DO_NOT_TRACK: "1",
  },
  sglang: { SGLANG_USE_CPU_ENGINE: "1", PYTHONPATH: join(ENGINES_FOLDER, "stubs") },
};

/**
 * Starts vLLM with its V2 model runner, which alone has routed experts, sampling masks and `prompt_logprob_token_ids`. Triton's
 * interpreter runs its kernels: about 10 tokens a second.
 */
export const V2_RUNNER = {
  flags: ["--enforce-eager"],
  env: {
    VLLM_USE_V2_MODEL_RUNNER: "1",
    TRITON_INTERPRET: "1",
    TRITON_DEFAULT_BACKEND: "cpu",
    PYTHONPATH: join(ENGINES_FOLDER, "interpreter"),
  },
} as const satisfies EngineServerOptions;

/** Starts SGLang with a plugin of its own for `--enable-lora` and `--enable-memory-saver`, which otherwise need a GPU's driver. */
const SGLANG_WITHOUT_GPU = {
  PYTHONPATH: ["stubs", "without_gpu"].map((folder) => join(ENGINES_FOLDER, folder)).join(delimiter),
};

/** Starts a server that takes LoRA adapters and frees its memory, as far as the engine can on a CPU. */
export const LORA_AND_SLEEP: Readonly<Record<EngineName, EngineServerOptions>> = {
  vllm: {
    flags: words("--enable-lora --max-lora-rank 8 --max-loras 2 --max-cpu-loras 4"),
    env: { VLLM_ALLOW_RUNTIME_LORA_UPDATING: "True" },
  },
  sglang: {
    flags: words(
      "--enable-lora --max-lora-rank 8 --lora-target-modules q_proj v_proj --lora-backend torch_native",
      "--enable-memory-saver",
    ),
    env: SGLANG_WITHOUT_GPU,
  },
};

const START_MS = 600_000;

/**
 * Starts an unmodified engine server on a free port and waits until it is healthy, which takes
 * 30 to 100 seconds on two cores. Call `stop` at the end.
 *
 * @throws Error with the end of the server's log if it ends first
 */
export async function startEngineServer(name: EngineName, options: EngineServerOptions = {}): Promise<EngineServer> {
  const { python } = installEngine(name);
  const model = options.model ?? (await ensureTinyModel()).folder;
  const port = await freePort();
  const flags = [...without(DEFAULT_FLAGS[name], options.without ?? []), ...(options.flags ?? [])];
  const address = ["--host", "127.0.0.1", "--port", String(port)];
  const program =
    name === "vllm"
      ? [join(dirname(python), "vllm"), "serve", model]
      : ["-m", "sglang.launch_server", "--model-path", model];
  const file = join(mkdtempSync(join(tmpdir(), `rolltape-${name}-`)), "log");
  const log = openSync(file, "w");
  const child = spawn(python, [...program, ...address, ...flags], {
    // Its own group, so that its children end with it.
    detached: true,
    stdio: ["ignore", log, log],
    env: {
      ...engineEnvironment(),
      PATH: `${dirname(python)}${delimiter}${process.env["PATH"] ?? ""}`,
      HF_HUB_OFFLINE: "1",
      OMP_NUM_THREADS: "1",
      ...ENVIRONMENT[name],
      ...options.env,
    },
  });
  closeSync(log);
  const readLog = () => readFileSync(file, "utf8");
  const stop = () => endGroup(child);
  process.once("exit", () => kill(child));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const url = `http://127.0.0.1:${port}`;
  await untilHealthy(`${url}/health`, child, readLog).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url, model, served: SERVED, python, pid: child.pid ?? 0, log: readLog, stop };
}

function without(flags: readonly string[], names: readonly string[]): string[] {
  const kept: string[] = [];
  let skipping = false;
  for (const flag of flags) {
    if (flag.startsWith("--")) skipping = names.includes(flag);
    if (!skipping) kept.push(flag);
  }
  return kept;
}

async function untilHealthy(url: string, child: ChildProcess, log: () => string): Promise<void> {
  const end = Date.now() + START_MS;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`The engine server ended with ${child.exitCode ?? child.signalCode}:\n${log().slice(-4000)}`);
    }
    const status = await fetch(url, { signal: AbortSignal.timeout(25_000) }).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    if (Date.now() > end) throw new Error(`The engine server did not start in time:\n${log().slice(-4000)}`);
    await delay(500);
  }
}

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    kill(child);
    await ended;
  }
}

/** SIGKILL, because SGLang and vLLM take seconds to end and have nothing to save. */
function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has ended.
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
