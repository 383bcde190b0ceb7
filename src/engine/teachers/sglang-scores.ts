import { randomUUID } from "node:crypto";
import type { TokenScores } from "../../native/contract.js";
import type { AbortSource } from "../../support/async/abort-source.js";
import { EngineError } from "../engine.js";
import { ServerConnections } from "../servers/wire/connections.js";
import { REQUEST_PREFIX } from "../sglang/request-fields.js";
import { requestScores, type ScoredSequence, type ScoreServer, type ScoreServerOptions } from "./score-server.js";

/** Scores sequences on one SGLang server. */
export class SglangScores implements ScoreServer {
  readonly url: string;
  readonly #connections: ServerConnections;

  constructor(url: string, options: ScoreServerOptions) {
    this.url = url;
    this.#connections = new ServerConnections(url, options.maxInflight, options);
  }

  async score(sequence: ScoredSequence, signal: AbortSource): Promise<TokenScores> {
    const request = {
      path: "generate",
      prefix: REQUEST_PREFIX,
      suffix: scoreSuffix(sequence),
      format: "sglang",
    } as const;
    const scores = await requestScores(this.#connections, request, sequence, signal);
    if (scores) return scores;
    throw new EngineError("engine_error", "The reply has no scores.");
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}

/**
 * Returns the part of the body of `/generate` that follows the input ids. SGLang has no score for the token at `logprob_start_len`, so
 * the range begins one token earlier. With the temperature 1, the scores are log_softmax(logits) whatever the server's flags are.
 */
function scoreSuffix({ first, topLogprobs }: ScoredSequence): string {
  const fields = {
    sampling_params: { max_new_tokens: 0, temperature: 1 },
    return_logprob: true,
    logprob_start_len: first - 1,
    top_logprobs_num: topLogprobs,
    return_text_in_logprobs: false,
    stream: false,
    rid: randomUUID().replaceAll("-", ""),
  };
  return `,${JSON.stringify(fields).slice(1)}`;
}
