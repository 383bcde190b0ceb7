import { randomUUID } from "node:crypto";
import type { ServerNeeds, ServerWarning } from "../engine.js";
import { askAll, compareContexts, compareTokenizers, flagWarning } from "../servers/flag-warnings.js";
import type { ServerConnections } from "../servers/wire/connections.js";
import { NotServedError, statusError, UnrecordableError } from "../servers/wire/errors.js";
import { jsonObject } from "../servers/wire/json.js";
import { hasMasks } from "./explain-refusal.js";
import { classifyLogprobs } from "./logprobs-probe.js";
import type { ServedModel } from "./served-model.js";

/** The largest `top_logprobs` of a call. */
const MOST_ALTERNATIVES = 20;

const GENERATE = "inference/v1/generate";
const COMPLETIONS = "v1/completions";

const NO_IMAGES = `Calls with images fail: the server takes them at /${GENERATE} only. Start vLLM with \`--enable-scale-out\`.`;

const PROCESSED = "Start vLLM with `--logprobs-mode processed_logprobs`";

export interface VllmQuestions {
  readonly needs: ServerNeeds;
  readonly model: ServedModel;
  /** The calls may use `/inference/v1/generate`. */
  readonly mayGenerate: boolean;
  readonly signal: AbortSignal;
}

/**
 * Finds out which flags a vLLM server lacks. Asks only with requests, because `/server_info` exists in development mode alone and
 * takes seconds. At most eight tokens are generated.
 */
export async function listVllmWarnings(server: ServerConnections, request: VllmQuestions): Promise<ServerWarning[]> {
  const { needs, model, mayGenerate, signal } = request;
  const closed = mayGenerate ? await findClosedEndpoint(server, signal) : undefined;
  const sampler = new SamplerQuestions(server, request, mayGenerate && closed === undefined ? GENERATE : COMPLETIONS);
  return askAll([
    async () => closed,
    async () => (needs.images && (closed || !mayGenerate) ? flagWarning(NO_IMAGES) : undefined),
    () => sampler.logprobsMode(),
    () => sampler.maxLogprobs(),
    () => sampler.tokensOnly(),
    async () => (needs.masks ? sampler.samplingMasks() : undefined),
    async () => (needs.reasoning ? sampler.reasoningParser() : undefined),
    () => findDevelopmentMode(server, signal),
    () => compareTokenizers(server, needs, { model: model.name, signal }),
    async () => compareContexts(needs, model.contextLength, "--max-model-len"),
  ]);
}

/** An open endpoint refuses an empty request with 400. */
async function findClosedEndpoint(server: ServerConnections, signal: AbortSignal): Promise<ServerWarning | undefined> {
  const { status, body } = await server.control({ method: "POST", path: GENERATE, body: {}, signal });
  if (!(statusError(status, body) instanceof NotServedError)) return undefined;
  return flagWarning(
    `The server does not serve /${GENERATE}, so calls use /${COMPLETIONS}. Tokens then have the weight version that ` +
      "was set when their request was sent, not the one that sampled them, and on a server with `--reasoning-parser` forced tool " +
      "calls take effect only after the reasoning. Start vLLM with `--enable-scale-out`.",
  );
}

async function findDevelopmentMode(server: ServerConnections, signal: AbortSignal): Promise<ServerWarning | undefined> {
  const { status } = await server.get("is_paused", signal);
  if (status !== 404) return undefined;
  return flagWarning(
    "The server can neither be paused nor load weights (`/is_paused` answers 404). For weight updates start vLLM with the " +
      "environment variable `VLLM_SERVER_DEV_MODE=1`.",
  );
}

/** Questions that are requests for a generation, of a few tokens at most. */
class SamplerQuestions {
  readonly #server: ServerConnections;
  readonly #request: VllmQuestions;
  readonly #endpoint: string;

  constructor(server: ServerConnections, request: VllmQuestions, endpoint: string) {
    this.#server = server;
    this.#request = request;
    this.#endpoint = endpoint;
  }

  /** With top-k 1, truncated log probabilities are 0, raw ones are negative, and the largest logits are usually positive. */
  async logprobsMode(): Promise<ServerWarning | undefined> {
    const { status, body } = await this.#send({ max_tokens: 4, temperature: 2, top_k: 1, logprobs: 0 });
    if (status !== 200) return undefined;
    try {
      if (classifyLogprobs(readLogprobs(body)) !== "raw") return undefined;
    } catch (error) {
      return error instanceof UnrecordableError ? flagWarning(error.message) : undefined;
    }
    return flagWarning(
      "Log probabilities are those of the model, without temperature, top-p, top-k and penalties (`raw_logprobs`, recorded " +
        `as \`raw\`). ${PROCESSED} to record those that tokens are sampled with.`,
    );
  }

  async maxLogprobs(): Promise<ServerWarning | undefined> {
    const most = Math.max(MOST_ALTERNATIVES, this.#request.needs.topLogprobs ?? 0);
    // `/inference/v1/generate` counts the sampled token too.
    const needed = most + 1;
    const { body } = await this.#send({ max_tokens: 1, logprobs: needed });
    const [, text] = /greater than max allowed: (\d+)/.exec(readMessage(body)) ?? [];
    if (text === undefined) return undefined;
    const limit = Number(text);
    if (limit < most) {
      return flagWarning(
        `Calls with more than ${limit} \`top_logprobs\` are refused. Start vLLM with \`--max-logprobs ${needed}\`.`,
      );
    }
    if (this.#endpoint !== GENERATE) return undefined;
    return flagWarning(
      `A call with ${most} \`top_logprobs\` may lack the least likely one. Start vLLM with \`--max-logprobs ${needed}\`.`,
    );
  }

  async tokensOnly(): Promise<ServerWarning | undefined> {
    const { body } = await this.#send({ max_tokens: 1, stop: ["."], detokenize: true });
    if (!readMessage(body).includes("--tokens-only")) return undefined;
    return flagWarning(
      "The server refuses grammars and does not search for stop strings: Rolltape finds these itself, some tokens later. Start vLLM with `--enable-scale-out` instead of `--tokens-only`.",
    );
  }

  async samplingMasks(): Promise<ServerWarning | undefined> {
    const { status, body } = await this.#send({ max_tokens: 1 });
    if (status !== 200 || hasMasks(body)) return undefined;
    return flagWarning(
      "Sampling masks are not recorded. Start vLLM with `--enable-scale-out --return-sampling-mask`, or set `engine.sampling_masks=false`.",
    );
  }

  async reasoningParser(): Promise<ServerWarning | undefined> {
    const { status, body } = await this.#send({ max_tokens: 1, thinking_token_budget: 1 });
    if (status !== 400 || !/reasoning.(config|parser)/.test(readMessage(body))) return undefined;
    return flagWarning("Thinking budgets are not enforced. Start vLLM with `--reasoning-parser`.");
  }

  #send(sampling: Readonly<Record<string, unknown>>): Promise<{ status: number; body: string }> {
    const { needs, model, signal } = this.#request;
    const prompt = needs.sample.ids.slice(0, 1);
    // A server that returns sampling masks refuses calls without top-k.
    const sampled = { top_k: 1, ...sampling };
    const common = { model: model.name, request_id: `rolltape-flags-${randomUUID()}` };
    const body =
      this.#endpoint === GENERATE
        ? { ...common, token_ids: prompt, sampling_params: sampled }
        : { ...common, prompt, return_tokens_as_token_ids: true, ...sampled };
    return this.#server.control({ method: "POST", path: this.#endpoint, body, signal });
  }
}

function readMessage(body: string): string {
  const { error, message } = jsonObject(body);
  return String(Object(error).message ?? message ?? "");
}

/** Returns the log probabilities of the first choice, in the form of either endpoint. */
function readLogprobs(body: string): number[] {
  const { choices } = jsonObject(body);
  const { logprobs } = Object(Array.isArray(choices) ? choices[0] : undefined);
  const { content, token_logprobs: flat } = Object(logprobs);
  const values: unknown[] = Array.isArray(flat) ? flat : Array.from(content ?? [], (entry) => Object(entry).logprob);
  return values.filter((value) => typeof value === "number");
}
