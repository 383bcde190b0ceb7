import { isTruncated } from "../../../facts/sampling.js";
import type { AskedExperts, AskedMasks, AskedValues, ExpertModel } from "../../../native/contract.js";
import type { GenerateCall } from "../../engine.js";
import type { ServerReply } from "../engine-server.js";
import { type EngineServerOptions, LARGEST_VOCABULARY } from "../engine-server-options.js";

/** Returns the bytes of the experts of one token, as they are recorded. */
export function expertBytes({ layers, topK, experts }: ExpertModel): number {
  return layers * topK * (experts > 256 ? 2 : 1);
}

/** The values of tokens that the requests to one server ask for, as the engine's options say. */
export class TokenValues {
  readonly #url: string;
  readonly #experts: ExpertModel | undefined;
  readonly #masks: AskedMasks | undefined;
  readonly #onWarning: ((message: string) => void) | undefined;
  /** Names of the warnings that were given. */
  readonly #warned = new Set<string>();

  constructor(
    url: string,
    { routedExperts, maxKeptTokens, vocabularySize = LARGEST_VOCABULARY, onWarning }: EngineServerOptions,
  ) {
    this.#url = url;
    this.#experts = routedExperts;
    this.#masks = maxKeptTokens === undefined ? undefined : { maxIds: maxKeptTokens, vocabularySize };
    this.#onWarning = onWarning;
  }

  /**
   * Returns what the next request of a call asks for.
   *
   * @param hasMasks the server can return the sampling masks of this call
   */
  ask(call: GenerateCall, hasMasks: boolean): AskedValues {
    const isWanted = hasMasks && !call.withoutChannels?.includes("kept_ids");
    return { experts: this.#askExperts(call), masks: isWanted ? this.#masks : undefined };
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
  note({ experts, masks }: AskedValues, reply: ServerReply, { sampling }: GenerateCall, masksAdvice: string): void {
    const { tokens, hasExperts = false, hasMasks = false, longestMask = 0 } = reply;
    const isDue = experts !== undefined && tokens > 0 && experts.promptLength + tokens - 1 > experts.start;
    if (isDue && !hasExperts) {
      this.#warnOnce(
        "experts",
        "sends no routed experts, so its tokens are recorded without them: start it with " +
          "`--enable-return-routed-experts`, or set `engine.routed_experts=false`.",
      );
    }
    if (masks && tokens > 0 && !hasMasks) {
      const problem = "sends no sampling masks, so its tokens are recorded without them";
      this.#warnOnce("masks", `${problem}: ${masksAdvice}, or set \`engine.sampling_masks=false\`.`);
    }
    if (masks && longestMask > 0 && isTruncated(sampling)) {
      this.#warnOnce(
        "long masks",
        `sampled a token from ${longestMask} ids. Masks with more than ${masks.maxIds} are not recorded: raise ` +
          "`engine.max_kept_tokens`, or lower `top_k`.",
      );
    }
  }

  #warnOnce(name: string, text: string): void {
    if (this.#warned.has(name)) return;
    this.#warned.add(name);
    this.#onWarning?.(`${this.#url} ${text}`);
  }
}
