import type { SamplingParams } from "../../../src/engine/engine.js";
import { REQUEST_PREFIX, requestSuffix } from "../../../src/engine/sglang/request-fields.js";
import type { AskedValues } from "../../../src/native/contract.js";
import type { CaptureRequest } from "./exchange.js";
import { FINISHED, LONG, LONGER, PLAIN, PROMPT, REFUSED, sampling, TOKEN_IDS } from "./sampling.js";
import { get, post, type Script, type Stage } from "./script.js";

interface Choices {
  readonly sampling?: SamplingParams;
  readonly prompt?: readonly number[];
  readonly asked?: AskedValues;
}

/** Returns a request as Rolltape sends it. */
function generation(rid: string, stream: boolean, choices: Choices = {}): CaptureRequest {
  const { sampling = PLAIN, prompt = PROMPT, asked = {} } = choices;
  const suffix = requestSuffix({ sampling, tokens: 0, asked, rid, stream });
  return post(
    "/generate",
    JSON.parse(`${REQUEST_PREFIX}${JSON.stringify(prompt)}${suffix}`) as Record<string, unknown>,
  );
}

async function takeBoth(stage: Stage, name: string, choices: Choices): Promise<void> {
  await stage.take(name, generation(name, false, choices));
  await stage.take(`${name}-stream`, generation(`${name}-stream`, true, choices));
}

/** Starts a whole and a streamed generation, and resolves when both run. */
async function startBoth(stage: Stage, name: string, asked: SamplingParams) {
  const whole = stage.start(name, generation(name, false, { sampling: asked }));
  const streamed = stage.start(`${name}-stream`, generation(`${name}-stream`, true, { sampling: asked }));
  await streamed.events(2);
  return () => Promise.all([whole.capture, streamed.capture]);
}

async function takeState(stage: Stage): Promise<void> {
  await stage.take("health", get("/health"));
  await stage.take("model-info", get("/model_info"));
  await stage.take("server-info", get("/server_info"));
  await stage.take("no-such-path", post("/no/such/path", {}));
  await stage.take("no-such-method", get("/generate"));
}

async function takeRefused(stage: Stage): Promise<void> {
  for (const [name, asked] of Object.entries(REFUSED)) await takeBoth(stage, `refused-${name}`, { sampling: asked });
  await takeBoth(stage, "refused-context", { prompt: Array.from({ length: 520 }, () => 65) });
  await takeBoth(stage, "refused-context-output", { sampling: sampling({ maxTokens: 510 }) });
  await takeBoth(stage, "refused-empty", { prompt: [] });
  const unknown = generation("refused-field", false);
  const sampling_params = { ...Object(unknown.body?.["sampling_params"]), no_such_field: 1 } as object;
  await stage.take("refused-field", post("/generate", { ...unknown.body, sampling_params }));
}

const PAUSE = "/pause_generation";
const CONTINUE = "/continue_generation";

async function takePauses(stage: Stage): Promise<void> {
  const paused = await startBoth(stage, "cut", LONG);
  await stage.take("pause-abort", post(PAUSE, { mode: "abort" }));
  await paused();
  await stage.take("continue", post(CONTINUE, {}));
  const aborted = await startBoth(stage, "aborted", LONG);
  await stage.take("abort-request-prefix", post("/abort_request", { rid: "abort" }));
  await stage.take("abort-request", post("/abort_request", { rid: "aborted" }));
  await stage.take("abort-request-stream", post("/abort_request", { rid: "aborted-stream" }));
  await aborted();
  await stage.take("abort-request-unknown", post("/abort_request", { rid: "nobody" }));
}

/** Two generations run, two wait, and more are refused: `--max-running-requests 2 --max-queued-requests 2`. */
async function takeQueue(stage: Stage): Promise<void> {
  const running = await startBoth(stage, "queue-running", LONG);
  const first = stage.start("queue-cut", generation("queue-cut", false, { sampling: PLAIN }));
  const second = stage.start("queue-cut-stream", generation("queue-cut-stream", true, { sampling: PLAIN }));
  // A request that the server answers after it has taken the ones before.
  await stage.take("queue-settled", get("/model_info"));
  await takeBoth(stage, "queue-full", {});
  await stage.take("queue-pause", post(PAUSE, { mode: "abort" }));
  await Promise.all([running(), first.capture, second.capture]);
  await stage.take("queue-continue", post(CONTINUE, {}));
}

async function takeVersions(stage: Stage): Promise<void> {
  const spans = await startBoth(stage, "versions", LONGER);
  await stage.take("pause-in-place", post(PAUSE, { mode: "in_place" }));
  await stage.take("flush-cache-busy", post("/flush_cache"));
  const version = { new_version: "8", abort_all_requests: false };
  await stage.take("update-weight-version", post("/update_weight_version", version));
  await stage.take("continue-in-place", post(CONTINUE, {}));
  await spans();
  const retracted = await startBoth(stage, "retract", LONGER);
  await stage.take("pause-retract", post(PAUSE, { mode: "retract" }));
  await stage.take("load-retract", load(stage.folders.other, "9"));
  await stage.take("flush-cache-retract", post("/flush_cache"));
  await stage.take("continue-retract", post(CONTINUE, {}));
  await retracted();
  await stage.take("model-info-updated", get("/model_info"));
}

function load(path: string, version: string): CaptureRequest {
  return post("/update_weights_from_disk", {
    model_path: path,
    weight_version: version,
    abort_all_requests: false,
    keep_pause: true,
    flush_cache: false,
  });
}

async function takeWeights(stage: Stage): Promise<void> {
  // A checkpoint of another shape ends the server (SIGQUIT of its scheduler), so none is loaded here.
  const { other, missing } = stage.folders;
  await stage.take("pause-idle", post(PAUSE, { mode: "abort" }));
  await stage.take("load", load(other, "10"));
  await stage.take("flush-cache", post("/flush_cache"));
  await stage.take("load-missing", load(missing, "11"));
  await stage.take("update-weight-version-type", post("/update_weight_version", { new_version: 7 }));
  await stage.take("health-paused", get("/health"));
  await stage.take("continue-idle", post(CONTINUE, {}));
}

const usual: Script = {
  flags:
    "sglang.launch_server --dtype float32 --context-length 512 --max-total-tokens 20000 --grammar-backend xgrammar " +
    "--max-running-requests 2 --max-queued-requests 2",
  async run(stage) {
    await takeState(stage);
    for (const [name, asked] of Object.entries(FINISHED)) await takeBoth(stage, name, { sampling: asked });
    await takeBoth(stage, "token-ids", { sampling: FINISHED["length"] ?? PLAIN, asked: TOKEN_IDS });
    await takeRefused(stage);
    await takePauses(stage);
    await takeQueue(stage);
    await takeVersions(stage);
    await takeWeights(stage);
  },
};

const KEYS = { user: "sk-capture", admin: "sk-capture-admin" };

const incremental: Script = {
  flags:
    "sglang.launch_server --dtype float32 --context-length 512 --max-total-tokens 20000 --grammar-backend xgrammar " +
    `--incremental-streaming-output --api-key ${KEYS.user} --admin-api-key ${KEYS.admin}`,
  async run(stage) {
    const withKey = (request: CaptureRequest) => ({ ...request, key: KEYS.user });
    const admin = (request: CaptureRequest) => ({ ...request, key: KEYS.admin });
    await stage.take("unauthorized", generation("unauthorized", false));
    await stage.take("unauthorized-pause", withKey(post(PAUSE, { mode: "abort" })));
    for (const [name, asked] of Object.entries(FINISHED)) {
      await stage.take(`${name}-stream`, withKey(generation(`${name}-stream`, true, { sampling: asked })));
    }
    const refused = generation("refused-grammar-stream", true, { sampling: REFUSED["grammar"] ?? PLAIN });
    await stage.take("refused-grammar-stream", withKey(refused));
    for (const [name, mode] of [["cut-stream", "abort"] as const, ["versions-stream", "in_place"] as const]) {
      const asked = mode === "abort" ? LONG : LONGER;
      const running = stage.start(name, withKey(generation(name, true, { sampling: asked })));
      await running.events(2);
      await stage.take(`pause-${mode}`, admin(post(PAUSE, { mode })));
      const version = { new_version: "8", abort_all_requests: false };
      if (mode === "in_place")
        await stage.take("update-weight-version", admin(post("/update_weight_version", version)));
      await stage.take(`continue-${mode}`, admin(post(CONTINUE, {})));
      await running.capture;
    }
  },
};

const skipTokenizer: Script = {
  flags: "sglang.launch_server --dtype float32 --context-length 512 --max-total-tokens 20000 --skip-tokenizer-init",
  async run(stage) {
    for (const name of ["length", "top", "eos-alone"]) {
      await takeBoth(stage, name, { sampling: FINISHED[name] ?? PLAIN });
    }
    await takeBoth(stage, "stop-id", { sampling: { ...(FINISHED["stop-id"] ?? PLAIN), minTokens: 0 } });
    await takeBoth(stage, "refused-min-tokens", { sampling: FINISHED["eos"] ?? PLAIN });
    await takeBoth(stage, "refused-stop-string", { sampling: FINISHED["stop-string"] ?? PLAIN });
    await takeBoth(stage, "refused-grammar", { sampling: FINISHED["grammar"] ?? PLAIN });
  },
};

export const SGLANG: Readonly<Record<string, Script>> = { usual, incremental, "skip-tokenizer": skipTokenizer };
