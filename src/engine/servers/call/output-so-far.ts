import { EngineError, type Finish, type GenerateCall, type GenerateResult, type LogprobContent } from "../../engine.js";
import type { EngineServer, ServerReply } from "../engine-server.js";
import type { ReplyVersions } from "../versions/reply-versions.js";
import { ServerDiedError } from "../wire/errors.js";
import { StopWatch } from "./stop-watch.js";

interface AnsweredRequest {
  readonly server: EngineServer;
  /** Length of the generation when the request was sent. */
  readonly begun: number;
  readonly versions: ReplyVersions;
}

/** Collects facts about a call's output over all of its requests. The tokens themselves are in the call's generation. */
export class OutputSoFar {
  readonly call: GenerateCall;
  readonly stops: StopWatch | undefined;
  /** The servers that generated the tokens. */
  readonly #generators = new Set<EngineServer>();
  /** Contents of the log probabilities of tokens with sampling masks. */
  readonly #masked = new Set<LogprobContent>();
  /** Number of cached prompt tokens, as the first server that reports one says. */
  #cachedTokens: number | undefined;
  #versionsUncertain = false;

  constructor(call: GenerateCall) {
    this.call = call;
    this.stops = StopWatch.create(call);
  }

  /** Adds the facts of one reply. */
  add({ server, versions, begun }: AnsweredRequest, { tokens, cachedTokens }: ServerReply): void {
    if (tokens > 0 && versions.isUncertain) this.#versionsUncertain = true;
    const { maskedLogprobs } = server;
    const hasMasks = maskedLogprobs !== undefined && this.call.generation.hasOutputs("kept_ids", begun);
    if (tokens > 0 && hasMasks) this.#masked.add(maskedLogprobs);
    else if (tokens > 0) this.#generators.add(server);
    this.#cachedTokens ??= cachedTokens === undefined ? undefined : Math.min(cachedTokens, this.call.prompt.length);
  }

  /** Discards the output so far if it follows a grammar: engines apply a grammar from the first token of a request. */
  prepareResume(): void {
    const { generation, prompt, sampling, onTokens } = this.call;
    if (sampling.grammar !== undefined && generation.length > 0) {
      if (onTokens) {
        const message =
          "The engine cut a streamed generation with a grammar, for example for a weight update. It cannot be resumed, " +
          "because its beginning was sent.";
        throw new EngineError("engine_error", message);
      }
      generation.truncate(0, prompt.length);
      this.stops?.reset();
    }
    // No tokens of earlier servers are left.
    if (generation.length === 0) {
      this.#generators.clear();
      this.#masked.clear();
      this.#versionsUncertain = false;
    }
  }

  /**
   * Discards the tokens of a request whose server died, so that another server can generate them again.
   *
   * @param begun length of the generation when the request was sent
   * @throws EngineError if some of the tokens may have been sent to the agent
   */
  discardLost(error: unknown, begun: number): void {
    const { generation, prompt, onTokens } = this.call;
    if (!(error instanceof ServerDiedError) || generation.length === begun) return;
    if (onTokens) throw new EngineError(error.code, error.message, { cause: error });
    generation.truncate(begun, prompt.length);
    this.stops?.reset();
  }

  /** @param resumes how often the generation was resumed */
  result(finish: Finish, resumes: number): GenerateResult {
    const versionsUncertain = this.#versionsUncertain;
    return { finish, cachedTokens: this.#cachedTokens, resumes, logprobs: this.#logprobs, versionsUncertain };
  }

  /** Content of the log probabilities; `unknown` if the servers that generated the tokens differ. */
  get #logprobs(): LogprobContent {
    const contents = new Set(this.#masked);
    for (const { logprobs } of this.#generators) contents.add(logprobs ?? "unknown");
    const [first] = contents;
    return first !== undefined && contents.size === 1 ? first : "unknown";
  }
}
