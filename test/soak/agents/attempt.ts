import type { Api } from "../../../src/session/recorded-interaction.js";

/** How a model call ended for the agent that made it. */
export type Outcome =
  | { readonly kind: "answered"; readonly id: string; readonly text: string }
  /** An HTTP error, or an error in a stream. */
  | { readonly kind: "failed"; readonly code: string }
  /** The agent closed its connection before it had the whole answer. */
  | { readonly kind: "left"; readonly begun: boolean }
  /** The connection broke, and the agent did not close it. `received` is what the agent had read of the answer's body. */
  | { readonly kind: "lost"; readonly reason: string; readonly received: string };

/** One model call that an agent sent. */
export interface Attempt {
  readonly session: string;
  /** Number of the call, which is its seed. A retry has the number of the call that it repeats. */
  readonly call: number;
  /** Number of earlier attempts. */
  readonly attempt: number;
  readonly api: Api;
  readonly streamed: boolean;
  /** All attempts at the call have the same `idempotency-key`. */
  readonly keyed: boolean;
  /** The interaction whose answer the call continues; undefined for the first call of a conversation. */
  readonly parent: string | undefined;
  outcome: Outcome;
  /** When the agent sent the call, on the clock of `performance.now()`. */
  readonly beganAt: number;
  /** When the call was over for the agent. */
  readonly endedAt: number;
  /**
   * When the server was sure to know that the agent had left, on the clock of `performance.now()`: it had answered other
   * requests that were sent after the connection was closed.
   */
  knownAt: number | undefined;
}
