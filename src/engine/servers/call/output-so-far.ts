import type { EngineReply } from "../../../native/contract.js";
import { EngineError, type Finish, type GenerateCall, type GenerateResult, type LogprobContent } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";
import { StopWatch } from "./stop-watch.js";

/** What is known of a call's output over all of its requests. The tokens themselves are in the call's generation. */
export class OutputSoFar {
  readonly stops: StopWatch | undefined;
  readonly #call: GenerateCall;
  /** The servers that made the tokens. */
  readonly #makers = new Set<EngineServer>();
  /** As the first server that says so had them in its cache. */
  #cachedTokens: number | undefined;

  constructor(call: GenerateCall) {
    this.#call = call;
    this.stops = StopWatch.of(call);
  }

  /** Notes what a reply added. */
  add({ tokens, cachedTokens }: EngineReply, server: EngineServer): void {
    if (tokens > 0) this.#makers.add(server);
    this.#cachedTokens ??= cachedTokens === undefined ? undefined : Math.min(cachedTokens, this.#call.prompt.length);
  }

  /** An engine follows a grammar from a request's first token on, so that such an output begins anew with each request. */
  prepareResume(): void {
    const { generation, sampling, onTokens } = this.#call;
    if (sampling.grammar !== undefined && generation.length > 0) {
      if (onTokens) {
        const message =
          "A weight update cut a generation that follows a grammar; what was streamed of it cannot be resumed.";
        throw new EngineError("engine_error", message);
      }
      generation.truncate(0);
      this.stops?.reset();
    }
    // No token of an earlier server is left.
    if (generation.length === 0) this.#makers.clear();
  }

  /** @param resumes how often the generation was resumed */
  result(finish: Finish, resumes: number): GenerateResult {
    return { finish, cachedTokens: this.#cachedTokens, resumes, logprobs: this.#logprobs };
  }

  /** What the log probabilities include; `unknown` if servers with different ones made the tokens. */
  get #logprobs(): LogprobContent {
    const [first, ...others] = new Set([...this.#makers].map(({ logprobs }) => logprobs ?? "unknown"));
    return first !== undefined && others.length === 0 ? first : "unknown";
  }
}
