import type { AskedValues, ExpertModel } from "../../../native/contract.js";
import type { GenerateCall } from "../../engine.js";
import type { ServerReply } from "../engine-server.js";
import type { EngineServerOptions } from "../engine-server-options.js";

/** Returns the bytes of the experts of one token, as they are recorded. */
export function expertBytes({ layers, topK, experts }: ExpertModel): number {
  return layers * topK * (experts > 256 ? 2 : 1);
}

/** The values of tokens that the requests to one server ask for, as the engine's options say. */
export class TokenValues {
  readonly #url: string;
  readonly #experts: ExpertModel | undefined;
  readonly #onWarning: ((message: string) => void) | undefined;
  #warned = false;

  constructor(url: string, { routedExperts, onWarning }: EngineServerOptions) {
    this.#url = url;
    this.#experts = routedExperts;
    this.#onWarning = onWarning;
  }

  /** Returns what the next request of a call asks for. */
  ask({ prompt, generation, withoutChannels }: GenerateCall): AskedValues {
    if (!this.#experts || withoutChannels?.includes("routed_experts")) return {};
    const promptLength = prompt.length + generation.length;
    // Neither the conversation nor the call's earlier requests have the experts from here on.
    const start = prompt.firstUnrecorded("routed_experts", generation);
    const { layers, topK, experts } = this.#experts;
    return { experts: { layers, topK, experts, promptLength, start } };
  }

  /** Warns once if the server's replies lack values that were asked for: their tokens are recorded without them. */
  note({ experts }: AskedValues, { tokens, hasExperts = false }: ServerReply): void {
    const isDue = experts !== undefined && tokens > 0 && experts.promptLength + tokens - 1 > experts.start;
    if (!isDue || hasExperts || this.#warned) return;
    this.#warned = true;
    this.#onWarning?.(
      `${this.#url} sends no routed experts, so its tokens are recorded without them: start it with ` +
        "`--enable-return-routed-experts`, or set `engine.routed_experts=false`.",
    );
  }
}
