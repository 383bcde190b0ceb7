import type { EngineFinish } from "../../../native/contract.js";
import type { AbortSource } from "../../../support/async/abort-source.js";
import { backoffMilliseconds } from "../../../support/async/backoff.js";
import { sleep } from "../../../support/async/sleep.js";
import { EngineError, type GenerateCall } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";
import type { PauseHold } from "../pause/pause-hold.js";
import { publicText, saysRemoved } from "../wire/errors.js";

/**
 * Why an engine cut a generation that may be resumed. `pause` and `version` are certain; `message` relies on what the abort
 * itself says.
 */
export type CutCause = "pause" | "version" | "message";

const MENTIONS_UPDATE = /\b(?:paus|weight|update)/i;

/** SGLang's message of every requested abort. A failed grammar step requests one too. */
const REQUESTED = "Aborted";

/** Remembers the pauses and the weight version when a request is sent, and later finds out what cut the request. */
export class CutWatch {
  readonly #hold: PauseHold;
  readonly #call: GenerateCall;
  readonly #pauses: number;
  readonly #version: number;
  readonly #from: number;

  constructor(hold: PauseHold, call: GenerateCall) {
    this.#hold = hold;
    this.#call = call;
    this.#pauses = hold.pauses;
    this.#version = call.currentVersion();
    this.#from = call.generation.length;
  }

  /**
   * Returns why the request was cut.
   *
   * @throws EngineError if neither a pause nor a weight update explains the cut: a new request would end in the same way
   */
  async findCause(finish: EngineFinish, server: EngineServer): Promise<CutCause> {
    if (this.#hold.pauses !== this.#pauses) return "pause";
    if (this.#call.currentVersion() !== this.#version || this.#hasTwoVersions()) return "version";
    const { message } = finish;
    // vLLM's aborts have no message. All of them were requested: a failed grammar step ends with `error`.
    if (message === undefined || saysRemoved(message) || MENTIONS_UPDATE.test(message)) return "message";
    const { grammar } = this.#call.sampling;
    if (message === REQUESTED && grammar === undefined) return "message";
    const update = await server.weightUpdate();
    if (update.version !== undefined && this.#isNew(update.version)) return "version";
    throw unexplainedAbort(message, grammar !== undefined);
  }

  #versions(): Int32Array {
    return this.#call.generation.versions(this.#from);
  }

  #hasTwoVersions(): boolean {
    const versions = this.#versions();
    return versions.some((version) => version !== versions[0]);
  }

  #isNew(version: number): boolean {
    const last = this.#versions().at(-1);
    return last !== undefined && last !== version;
  }
}

function unexplainedAbort(message: string, grammar: boolean): EngineError {
  const step = grammar ? " A step of the call's grammar may have failed." : "";
  return new EngineError(
    "engine_error",
    `The engine aborted the generation (${publicText(message)}). Neither a pause nor a new weight version explains this.${step}`,
  );
}

const BACKOFF = { firstMilliseconds: 25, longestMilliseconds: 5_000 };

/** Limit of consecutive restarts whose only reason is the server's own message. With the waits: about two minutes. */
export const MAX_RESTARTS = 30;

/** A request that ran this long before it was cut resets the count. */
const LONG_RUN_MS = 10_000;

/** Delays and limits the restarts of one call, so that a server that cuts every request is not asked in a tight loop. */
export class Restarts {
  #inRow = 0;
  #unproved = 0;

  /**
   * Waits before the next request of a generation that was cut: 25 ms, doubled after each consecutive cut, at most 5 s.
   *
   * @param ranMilliseconds how long the request ran before it was cut
   * @throws EngineError after {@link MAX_RESTARTS} consecutive cuts without evidence of a weight update
   */
  async wait(cause: CutCause, ranMilliseconds: number, signal: AbortSource): Promise<void> {
    if (ranMilliseconds >= LONG_RUN_MS) this.#inRow = this.#unproved = 0;
    if (cause !== "message") this.#unproved = 0;
    else if (this.#unproved === MAX_RESTARTS) throw tooManyRestarts();
    else this.#unproved++;
    await sleep(backoffMilliseconds(this.#inRow++, BACKOFF), signal);
  }
}

function tooManyRestarts(): EngineError {
  const message =
    `The engine keeps aborting the generation: it was restarted ${MAX_RESTARTS} times in a row without a pause by this ` +
    "proxy or a new weight version.";
  return new EngineError("engine_error", message);
}
