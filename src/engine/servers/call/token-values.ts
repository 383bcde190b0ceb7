import { expertIndexBytes } from "../../../facts/channels.js";
import { isTruncated } from "../../../facts/sampling.js";
import type { AskedExperts, AskedMasks, AskedValues, ExpertModel } from "../../../native/contract.js";
import type { GenerateCall, SamplingParams } from "../../engine.js";
import type { ServerReply } from "../engine-server.js";
import { type EngineServerOptions, LARGEST_VOCABULARY } from "../engine-server-options.js";

/** Returns the bytes of the experts of one token, as they are recorded. */
export function expertBytes({ layers, topK, experts }: ExpertModel): number {
  return layers * topK * expertIndexBytes(experts);
}

/** Of an id, an offset or a log probability. */
export const VALUE_BYTES = 4;

/**
 * Returns the bytes that the sampling mask of one token may take. Top-k limits its length. Without truncation, masks of the whole
 * vocabulary are not recorded.
 */
export function maskBytes(sampling: SamplingParams, maxIds: number): number {
  if (!isTruncated(sampling)) return 0;
  const ids = sampling.topK > 0 ? Math.min(sampling.topK, maxIds) : maxIds;
  return VALUE_BYTES * (ids + 1);
}

/** The values of tokens that the requests to one server ask for, as the engine's options say. */
export class TokenValues {
  readonly #url: string;
  readonly #experts: ExpertModel | undefined;
  readonly #masks: AskedMasks | undefined;
  readonly #tokenIds: Int32Array | undefined;
  readonly #onWarning: ((message: string) => void) | undefined;
  /** Names of the warnings that were given. */
  readonly #warned = new Set<string>();

  constructor(
    url: string,
    {
      routedExperts,
      maxKeptTokens,
      vocabularySize = LARGEST_VOCABULARY,
      tokenIdsLogprob = [],
      onWarning,
    }: EngineServerOptions,
  ) {
    this.#url = url;
    this.#experts = routedExperts;
    this.#masks = maxKeptTokens === undefined ? undefined : { maxIds: maxKeptTokens, vocabularySize };
    this.#tokenIds = tokenIdsLogprob.length > 0 ? Int32Array.from(tokenIdsLogprob) : undefined;
    this.#onWarning = onWarning;
  }

  /**
   * Returns what the next request of a call asks for.
   *
   * @param hasMasks the server can return the sampling masks of this call
   */
  ask(call: GenerateCall, hasMasks: boolean): AskedValues {
    const without = call.withoutChannels ?? [];
    return {
      experts: this.#askExperts(call),
      masks: hasMasks && !without.includes("kept_ids") ? this.#masks : undefined,
      tokenIds: without.includes("token_ids_logprobs") ? undefined : this.#tokenIds,
    };
  }

  #askExperts({ prompt, generation, withoutChannels }: GenerateCall): AskedExperts | undefined {
    if (!this.#experts || withoutChannels?.includes("routed_experts")) return undefined;
    const promptLength = prompt.length + generation.length;
    // Neither the conversation nor the call's earlier requests have the experts from here on.
    const start = prompt.firstUnrecorded("routed_experts", generation);
    const { layers, topK, experts } = this.#experts;
    return { layers, topK, experts, promptLength, start };
  }

  /**
   * Warns once if the server's replies lack values that were asked for: their tokens are recorded without them.
   *
   * @param masksAdvice says how the server is made to send masks
   */
  note(
    { experts, masks, tokenIds }: AskedValues,
    reply: ServerReply,
    { sampling }: GenerateCall,
    masksAdvice: string,
  ): void {
    const { tokens, hasExperts = false, hasMasks = false, longestMask = 0, hasTokenIds = false } = reply;
    if (tokens === 0) return;
    const expectsExperts = experts !== undefined && experts.promptLength + tokens - 1 > experts.start;
    if (expectsExperts && !hasExperts) {
      this.#warnOfMissing(
        "routed experts",
        "start it with `--enable-return-routed-experts`, or set `engine.routed_experts=false`",
      );
    }
    if (masks && !hasMasks) {
      this.#warnOfMissing("sampling masks", `${masksAdvice}, or set \`engine.sampling_masks=false\``);
    }
    if (masks && longestMask > 0 && isTruncated(sampling)) {
      this.#warnOnce(
        "long masks",
        `sampled a token from ${longestMask} ids. Masks with more than ${masks.maxIds} are not recorded: raise ` +
          "`engine.max_kept_tokens`, or lower `top_k`.",
      );
    }
    if (tokenIds && !hasTokenIds) {
      this.#warnOfMissing(
        "log probabilities of the tokens of `engine.token_ids_logprob`",
        "update it, or set `engine.token_ids_logprob=[]`",
      );
    }
  }

  #warnOfMissing(values: string, advice: string): void {
    this.#warnOnce(values, `sends no ${values}, so its tokens are recorded without them: ${advice}.`);
  }

  #warnOnce(name: string, text: string): void {
    if (this.#warned.has(name)) return;
    this.#warned.add(name);
    this.#onWarning?.(`${this.#url} ${text}`);
  }
}
