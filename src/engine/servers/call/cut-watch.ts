import type { EngineFinish } from "../../../native/contract.js";
import { type CallContent, EngineError } from "../../engine.js";
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
  readonly #call: CallContent;
  readonly #pauses: number;
  readonly #version: number;
  readonly #from: number;

  constructor(hold: PauseHold, call: CallContent) {
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
