import type { SamplingParams } from "../../../src/engine/engine.js";
import {
  COMPLETIONS_PREFIX,
  completionsSuffix,
  GENERATE_PREFIX,
  generateSuffix,
  type VllmRequestFields,
} from "../../../src/engine/vllm/request-fields.js";
import type { CaptureRequest } from "./exchange.js";
import { FINISHED, LONG, LONGER, PLAIN, PROMPT, REFUSED, sampling, TOKEN_IDS } from "./sampling.js";
import { get, post, type Script, type Stage } from "./script.js";

const ENDPOINTS = {
  generate: { path: "/inference/v1/generate", prefix: GENERATE_PREFIX, suffix: generateSuffix },
  completions: { path: "/v1/completions", prefix: COMPLETIONS_PREFIX, suffix: completionsSuffix },
};
type Endpoint = keyof typeof ENDPOINTS;

const MODEL = "tiny";

interface Choices {
  readonly sampling?: SamplingParams;
  readonly prompt?: readonly number[];
  readonly fields?: Partial<VllmRequestFields>;
}

/** Returns a request as Rolltape sends it. */
function generation(endpoint: Endpoint, requestId: string, stream: boolean, choices: Choices = {}): CaptureRequest {
  const { sampling = PLAIN, prompt = PROMPT, fields = {} } = choices;
  const { path, prefix, suffix } = ENDPOINTS[endpoint];
  const { maxTokens, minTokens } = sampling;
  const own = { maxTokens, minTokens, model: MODEL, requestId, stream, oneMore: true, asked: {} };
  const all = { sampling, ...own, ...fields };
  return post(path, JSON.parse(`${prefix}${JSON.stringify(prompt)}${suffix(all)}`) as Record<string, unknown>);
}

async function takeBoth(stage: Stage, endpoint: Endpoint, name: string, choices: Choices): Promise<void> {
  for (const [stream, kind] of [[false, ""] as const, [true, "-stream"] as const]) {
    const full = `${endpoint}-${name}${kind}`;
    await stage.take(full, generation(endpoint, full, stream, choices));
  }
}

/** Starts a whole and a streamed generation, and resolves when both run. */
async function startBoth(stage: Stage, endpoint: Endpoint, name: string, asked: SamplingParams) {
  const full = `${endpoint}-${name}`;
  const whole = stage.start(full, generation(endpoint, full, false, { sampling: asked }));
  const streamed = stage.start(`${full}-stream`, generation(endpoint, `${full}-stream`, true, { sampling: asked }));
  await streamed.events(2);
  return () => Promise.all([whole.capture, streamed.capture]);
}

async function takeState(stage: Stage): Promise<void> {
  await stage.take("models", get("/v1/models"));
  await stage.take("health", get("/health"));
  await stage.take("no-such-path", post("/no/such/path", {}));
  await stage.take("no-such-method", get(ENDPOINTS.completions.path));
}

async function takeRefused(stage: Stage, endpoint: Endpoint): Promise<void> {
  for (const [name, asked] of Object.entries(REFUSED)) {
    await takeBoth(stage, endpoint, `refused-${name}`, { sampling: asked });
  }
  await takeBoth(stage, endpoint, "refused-logprobs", {
    sampling: sampling({ topLogprobs: 22 }),
    fields: { oneMore: false },
  });
  await takeBoth(stage, endpoint, "refused-budget", { fields: { thinkingBudget: 5 } });
  await takeBoth(stage, endpoint, "refused-context", { prompt: Array.from({ length: 520 }, () => 65) });
  await takeBoth(stage, endpoint, "refused-full-context", { prompt: Array.from({ length: 512 }, () => 65) });
  await takeBoth(stage, endpoint, "refused-model", { fields: { model: "other" } });
  await takeBoth(stage, endpoint, "refused-empty", { prompt: [] });
}

/** vLLM lowers the number of output tokens to what the context has room for. */
async function takeClipped(stage: Stage, endpoint: Endpoint): Promise<void> {
  const prompt = Array.from({ length: 508 }, () => 65);
  await takeBoth(stage, endpoint, "clipped", { prompt, sampling: sampling({ maxTokens: 510, ignoreEos: true }) });
}

async function takePauses(stage: Stage, endpoint: Endpoint): Promise<void> {
  const cut = await startBoth(stage, endpoint, "cut", LONG);
  await stage.take(`${endpoint}-pause-abort`, post("/pause?mode=abort&clear_cache=true"));
  await cut();
  await stage.take(`${endpoint}-resume`, post("/resume"));
}

const development: Script = {
  flags:
    "VLLM_SERVER_DEV_MODE=1 vllm serve MODEL --served-model-name tiny --max-model-len 512 --dtype float32 " +
    "--logprobs-mode processed_logprobs --max-logprobs 21 --enable-scale-out",
  async run(stage) {
    await takeState(stage);
    for (const endpoint of ["generate", "completions"] as const) {
      for (const [name, asked] of Object.entries(FINISHED)) await takeBoth(stage, endpoint, name, { sampling: asked });
      await takeBoth(stage, endpoint, "token-ids", { fields: { asked: TOKEN_IDS } });
      await takeClipped(stage, endpoint);
      await takeRefused(stage, endpoint);
      await takePauses(stage, endpoint);
    }
    await stage.take("refused-json", { ...post("/inference/v1/generate", {}) });
    await stage.take("pause-unknown", post("/pause?mode=odd"));
    const running = await startBoth(stage, "generate", "uncut", LONGER);
    await stage.take("reset-prefix-cache-running", post("/reset_prefix_cache"));
    await running();
    // A version that changes in the middle.
    const spans = await startBoth(stage, "generate", "versions", LONGER);
    await stage.take("pause-keep", post("/pause?mode=keep&clear_cache=true"));
    await stage.take("update-weight-version", post("/update_weight_version", { new_version: "8" }));
    await stage.take("reset-prefix-cache-busy", post("/reset_prefix_cache"));
    await stage.take("resume-keep", post("/resume"));
    await spans();
    await stage.take("weight-info", get("/weight_info"));
    await takeWeights(stage);
  },
};

async function takeWeights(stage: Stage): Promise<void> {
  const { other, wrongShape, missing } = stage.folders;
  const load = (path: string) => post("/collective_rpc", { method: "reload_weights", kwargs: { weights_path: path } });
  await stage.take("pause-idle", post("/pause?mode=abort&clear_cache=true"));
  await stage.take("load", load(other));
  await stage.take("reset-prefix-cache", post("/reset_prefix_cache"));
  await stage.take("load-missing", load(missing));
  await stage.take("load-unknown", post("/collective_rpc", { method: "no_such_method", kwargs: {} }));
  await stage.take("resume-idle", post("/resume"));
  // The next generation ends the engine's process. Start the server again after this.
  await stage.take("load-wrong-shape", load(wrongShape));
}

const plain: Script = {
  flags: "vllm serve MODEL --served-model-name tiny --max-model-len 512 --dtype float32 --api-key sk-capture",
  async run(stage) {
    const key = "sk-capture";
    await stage.take("models-unauthorized", get("/v1/models"));
    await stage.take("completions-unauthorized", generation("completions", "unauthorized", false));
    await stage.take("models", { ...get("/v1/models"), key });
    await stage.take("generate", { ...generation("generate", "generate", false), key });
    await stage.take("generate-stream", { ...generation("generate", "generate-stream", true), key });
    await stage.take("completions-length", { ...generation("completions", "completions-length", false), key });
    await stage.take("get-weight-info", get("/weight_info"));
    for (const path of ["/pause", "/resume", "/collective_rpc", "/update_weight_version", "/reset_prefix_cache"]) {
      await stage.take(`post${path.replaceAll(/[/_]/g, "-")}`, post(path, {}));
    }
  },
};

const tokensOnly: Script = {
  flags:
    "vllm serve MODEL --served-model-name tiny --max-model-len 512 --dtype float32 --tokens-only --enable-prompt-tokens-details",
  async run(stage) {
    await stage.take("models", get("/v1/models"));
    for (const name of ["length", "top", "stop-id", "eos"]) {
      await takeBoth(stage, "generate", name, { sampling: FINISHED[name] ?? PLAIN });
    }
    await takeBoth(stage, "generate", "refused-stop-string", { sampling: sampling({ stop: ["aaaaaa"] }) });
    await takeBoth(stage, "generate", "refused-grammar", { sampling: FINISHED["grammar"] ?? PLAIN });
    await takeBoth(stage, "completions", "length", {});
  },
};

const dead: Script = {
  flags:
    "VLLM_SERVER_DEV_MODE=1 VLLM_KEEP_ALIVE_ON_ENGINE_DEATH=1, as tokens-only; ENGINE_PID is that of VLLM::EngineCore",
  async run(stage) {
    const running = await startBoth(stage, "generate", "killed", LONG);
    stage.killEngine();
    await running();
    await stage.take("health", get("/health"));
    await takeBoth(stage, "generate", "length", {});
    await takeBoth(stage, "completions", "length", {});
    await stage.take("models", get("/v1/models"));
    await stage.take("weight-info", get("/weight_info"));
    await stage.take("pause", post("/pause?mode=abort&clear_cache=true"));
  },
};

export const VLLM: Readonly<Record<string, Script>> = { development, plain, "tokens-only": tokensOnly, dead };
