import { EngineError, type SamplingParams } from "../engine.js";
import { jsonObject } from "../servers/wire/json.js";

const WITHOUT_TOKENIZER =
  "The server was started with `--tokens-only` or `--skip-tokenizer-init`, so it takes no calls with structured output or " +
  "enforced tool calls. Start it without these flags.";

const GREEDY =
  "temperature must be above 0: the engine server was started with `--return-sampling-mask`, which takes no greedy calls. Start it " +
  "without this flag, or set `temperature` for every call.";

/** Adds what to do to a refusal of a grammar whose reason is a flag of the server. Returns other errors unchanged. */
export function adviseOnFlags(error: unknown): unknown {
  if (!(error instanceof EngineError) || error.code !== "engine_rejected_request") return error;
  if (!error.message.includes("skip_tokenizer_init")) return error;
  return new EngineError(error.code, `${error.message}. ${WITHOUT_TOKENIZER}`, { cause: error });
}

/** Returns true if a server with `--return-sampling-mask` refuses the call, for which it gives no reason. */
export function isRefusedWithMasks({ topK, temperature }: SamplingParams): boolean {
  return topK === 0 || temperature === 0;
}

/** Returns true if a reply of `/inference/v1/generate` has sampling masks. */
export function hasMasks(body: string): boolean {
  const { choices } = jsonObject(body);
  const [first] = Array.isArray(choices) ? (choices as unknown[]) : [];
  return Array.isArray(Object(first).sampling_mask);
}

/** @throws EngineError if the call is greedy: a server with `--return-sampling-mask` takes no such calls, whatever their `top_k` */
export function refuseGreedy({ temperature }: SamplingParams): void {
  if (temperature === 0) throw new EngineError("engine_rejected_request", GREEDY);
}
