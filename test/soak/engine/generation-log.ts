import { createHash } from "node:crypto";
import { cutShort } from "../../helpers/sglang/cut.js";
import type { Fault, GenerateOutcome, GenerateRequest, OutputToken } from "../../helpers/sglang/protocol.js";

/**
 * What the engine did with the tokens of a generation.
 *
 * - `whole`: it sent them with a finish reason.
 * - `cut`: it sent them with the finish reason `abort`. The proxy may resume the generation from them.
 * - `broken`: it sent an error, or a reply that no reader may accept.
 */
export type Sent = "whole" | "cut" | "broken";

/** One generation of the engine. */
export interface Generation {
  /** Seed of the request, which is the number of the agent's call. */
  readonly call: number;
  readonly tokens: readonly OutputToken[];
  readonly sent: Sent;
  /** If the stream broke off: the number of tokens that it sent. During a pause, the proxy may continue the generation after them. */
  readonly streamed?: number | undefined;
  /** What went wrong with it, for messages. */
  readonly fault?: string | undefined;
  /** When the engine got the request, on the clock of `performance.now()`. */
  readonly beganAt: number;
  /** When the last token was sampled, on the same clock. The answer was not complete before. */
  readonly endedAt: number;
}

/** Everything that the engine servers sampled, by the prompt that they were given. */
export class GenerationLog {
  readonly #byPrompt = new Map<string, Generation[]>();
  readonly #begun = new WeakMap<GenerateRequest, { readonly fault: Fault | undefined; readonly beganAt: number }>();
  /** Number of faults by kind. */
  readonly faults = new Map<string, number>();
  requests = 0;
  sampledTokens = 0;

  /** Notes a request and its fault. */
  begin(request: GenerateRequest, fault: Fault | undefined): void {
    this.requests++;
    this.#begun.set(request, { fault, beganAt: performance.now() });
    if (!fault) return;
    const name = fault.kind === "status" ? `${fault.kind} ${fault.status}` : fault.kind;
    this.faults.set(name, (this.faults.get(name) ?? 0) + 1);
  }

  /** Notes the tokens of a request that ran. */
  end(request: GenerateRequest, outcome: GenerateOutcome): void {
    const { fault, beganAt = 0 } = this.#begun.get(request) ?? {};
    const { tokens, finish } = cutShort(outcome, fault);
    this.sampledTokens += tokens.length;
    const sent = readSent(fault, tokens.length, finish.type === "abort");
    const times = { beganAt, endedAt: performance.now() };
    this.add(request.inputIds, {
      call: readCall(request),
      tokens,
      sent,
      streamed: sent === "broken" && fault && "frames" in fault ? fault.frames : undefined,
      fault: fault && JSON.stringify(fault),
      ...times,
    });
  }

  add(prompt: readonly number[], generation: Generation): void {
    const key = digest(prompt);
    this.#byPrompt.set(key, [...(this.#byPrompt.get(key) ?? []), generation]);
  }

  /** Returns the generations that began with exactly this prompt. */
  of(prompt: readonly number[]): readonly Generation[] {
    return this.#byPrompt.get(digest(prompt)) ?? [];
  }
}

export function readCall({ sampling }: GenerateRequest): number {
  const seed = sampling["sampling_seed"];
  return typeof seed === "number" ? seed : -1;
}

const SOUND: ReadonlySet<Fault["kind"]> = new Set(["slow", "abort", "abort-in-queue", "abort-saying"]);

/** A stream has one frame per token and one for the end, so a fault after more frames does not happen. */
function readSent(fault: Fault | undefined, tokens: number, aborted: boolean): Sent {
  const happens = fault && !("frames" in fault && fault.frames > tokens);
  if (happens && !SOUND.has(fault.kind)) return "broken";
  return aborted ? "cut" : "whole";
}

function digest(ids: readonly number[]): string {
  return createHash("sha1")
    .update(new Uint8Array(Int32Array.from(ids).buffer))
    .digest("base64");
}
