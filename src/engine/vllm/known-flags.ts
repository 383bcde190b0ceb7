import { EngineError, type GenerateCall } from "../engine.js";
import type { VllmApi } from "./vllm-options.js";

export type Endpoint = Exclude<VllmApi, "auto">;

/** The effects of a server's flags. */
export interface Flags extends Abilities {
  /** Returns sampling masks (`--return-sampling-mask`), so requests need a `top_k`. False until a request has shown it. */
  readonly returnsMasks: boolean;
}

/** The abilities that a server's flags allow. Each is true until the server has refused a request because of it. */
interface Abilities {
  /** Lists one alternative more than the call needs (`--max-logprobs`). */
  readonly listsOneMore: boolean;
  /** Enforces a budget for the reasoning (`--reasoning-parser`). */
  readonly takesBudgets: boolean;
  /** Searches for stop strings. A server with `--tokens-only` has no texts to search. */
  readonly findsStops: boolean;
}

const UNKNOWN: Flags = { listsOneMore: true, takesBudgets: true, findsStops: true, returnsMasks: false };

interface Refusal {
  /** Returns true if the call can do without what was refused. */
  readonly isOptional: (call: GenerateCall, endpoint: Endpoint) => boolean;
  readonly message: RegExp;
}

const REFUSALS: Readonly<Record<keyof Abilities, Refusal>> = {
  listsOneMore: {
    isOptional: ({ sampling }, endpoint) => endpoint === "generate" && sampling.topLogprobs > 0,
    message: /logprobs/i,
  },
  takesBudgets: {
    isOptional: ({ sampling }) => sampling.thinkingBudget !== undefined,
    message: /thinking_token_budget/,
  },
  findsStops: {
    // Rolltape finds the stop strings itself if it knows the texts of the tokens.
    isOptional: ({ sampling, tokenBytes }) => sampling.stop.length > 0 && tokenBytes !== undefined,
    message: /stop strings are not supported/i,
  },
};

const NAMES = Object.keys(REFUSALS) as (keyof Abilities)[];

/** Remembers what one server has shown about its flags. */
export class KnownFlags {
  #current = UNKNOWN;

  get current(): Flags {
    return this.#current;
  }

  /**
   * Learns from the refusal of a request.
   *
   * @param sent the flags with which the request was written. Another call may have learned of the same refusal meanwhile.
   * @returns true if the request can be sent again without what was refused
   */
  learn(error: unknown, sent: Flags, call: GenerateCall, endpoint: Endpoint): boolean {
    if (!(error instanceof EngineError) || error.code !== "engine_rejected_request") return false;
    const refused = NAMES.find(
      (name) => sent[name] && REFUSALS[name].message.test(error.message) && REFUSALS[name].isOptional(call, endpoint),
    );
    if (refused !== undefined) this.#current = { ...this.#current, [refused]: false };
    return refused !== undefined;
  }

  /** Notes that the server returns sampling masks. */
  noteMasks(): void {
    this.#current = { ...this.#current, returnsMasks: true };
  }

  /** Forgets everything: an unreachable server may be restarted with other flags. */
  forget(): void {
    this.#current = UNKNOWN;
  }
}
