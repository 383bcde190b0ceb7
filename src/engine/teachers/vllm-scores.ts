import { randomUUID } from "node:crypto";
import type { TokenScores } from "../../native/contract.js";
import type { AbortSource } from "../../support/async/abort-source.js";
import { EngineError } from "../engine.js";
import { ServerConnections } from "../servers/wire/connections.js";
import { isUnavailable, NotServedError } from "../servers/wire/errors.js";
import { COMPLETIONS_PATH, COMPLETIONS_PREFIX, GENERATE_PATH, GENERATE_PREFIX } from "../vllm/request-fields.js";
import { askServedModel } from "../vllm/served-model.js";
import {
  requestScores,
  type ScoredSequence,
  type ScoreRequest,
  type ScoreServer,
  type ScoreServerOptions,
} from "./score-server.js";

/**
 * How a server is asked, the best way first:
 *
 * - `ids`: the log probability of one id per token, as an array of float32. Needs the V2 model runner.
 * - `lists`: `prompt_logprobs`, lists of tokens in JSON, of every token of the sequence.
 * - `completions`: the same, of servers without `/inference/v1/generate`.
 */
const WAYS = ["ids", "lists", "completions"] as const;
type Way = (typeof WAYS)[number];

/** vLLM's refusal of the field without its V2 model runner. */
const NEEDS_V2 = /prompt_logprob_token_ids/;

/** Scores sequences on one vLLM server. */
export class VllmScores implements ScoreServer {
  readonly url: string;
  readonly #connections: ServerConnections;
  readonly #modelName: string | undefined;
  #model: Promise<string> | undefined;
  /** The ways that the server may know. */
  #ways: readonly Way[] = WAYS;

  constructor(url: string, options: ScoreServerOptions) {
    this.url = url;
    this.#connections = new ServerConnections(url, options.maxInflight, options);
    this.#modelName = options.model;
  }

  async score(sequence: ScoredSequence, signal: AbortSource): Promise<TokenScores> {
    try {
      const model = await this.#servedModel();
      // The array of `ids` has no log probabilities of other tokens.
      const ways = this.#ways.filter((way) => way !== "ids" || sequence.topLogprobs === 0);
      let refusal: unknown = new EngineError("engine_error", "The reply has no scores.");
      for (const way of ways) {
        try {
          const scores = await requestScores(this.#connections, toRequest(way, model, sequence), sequence, signal);
          if (scores) return scores;
        } catch (error) {
          if (!lacksWay(error, way)) throw error;
          refusal = error;
        }
        this.#ways = this.#ways.filter((known) => known !== way);
      }
      this.#ways = WAYS;
      throw refusal;
    } catch (error) {
      if (isUnavailable(error)) this.#forget();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  #servedModel(): Promise<string> {
    this.#model ??= askServedModel(this.#connections, this.#modelName).then(
      ({ name }) => name,
      (error: unknown) => {
        this.#model = undefined;
        throw error;
      },
    );
    return this.#model;
  }

  /** Forgets what was learned about an unreachable server: it may be restarted with another model or other flags. */
  #forget(): void {
    this.#model = undefined;
    this.#ways = WAYS;
  }
}

/** Returns true if a server refused a request because it does not know this way. */
function lacksWay(error: unknown, way: Way): boolean {
  if (error instanceof NotServedError) return way !== "completions";
  const isRejected = error instanceof EngineError && error.code === "engine_rejected_request";
  return way === "ids" && isRejected && NEEDS_V2.test(error.message);
}

/** The scores are log_softmax(logits): vLLM applies no temperature to prompts. One token must be sampled, and is ignored. */
const ONE_TOKEN = { max_tokens: 1, temperature: 1, top_k: 1, detokenize: false } as const;

function toRequest(way: Way, model: string, { prompt, first, topLogprobs }: ScoredSequence): ScoreRequest {
  const common = { model, request_id: randomUUID().replaceAll("-", ""), stream: false };
  if (way === "completions") {
    const fields = { ...common, ...ONE_TOKEN, prompt_logprobs: topLogprobs };
    return {
      path: COMPLETIONS_PATH,
      prefix: COMPLETIONS_PREFIX,
      suffix: `,${JSON.stringify(fields).slice(1)}`,
      format: "vllm",
    };
  }
  const asked =
    way === "lists"
      ? `"prompt_logprobs":${topLogprobs}`
      : `"prompt_logprob_start":${first - 1},"prompt_logprob_token_ids":${listRows(prompt.tokens(), first)}`;
  const sampling = `${JSON.stringify(ONE_TOKEN).slice(0, -1)},${asked}}`;
  return {
    path: GENERATE_PATH,
    prefix: GENERATE_PREFIX,
    suffix: `,${JSON.stringify(common).slice(1, -1)},"sampling_params":${sampling}}`,
    format: "vllm",
  };
}

/** Returns `[[id],[id],…]` for the tokens from `first` on. */
function listRows(ids: Int32Array, first: number): string {
  return `[[${ids.subarray(first).join("],[")}]]`;
}
