import type { EngineFinish } from "../../../native/contract.js";
import { EngineError, type GenerateCall } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";
import type { PauseHold } from "../pause/pause-hold.js";
import { publicText } from "../wire/errors.js";

/**
 * Why an engine cut a generation that may be resumed. `pause` and `version` are certain; `message` is what the server says
 * of itself.
 */
export type CutCause = "pause" | "version" | "message";

/** A request that SGLang took out of its queue: it never ran, so nothing in it can have failed. */
const NEVER_RAN = /^Abort (?:in waiting queue|before prefill)/;

const OF_AN_UPDATE = /\b(?:paus|weight|update)/i;

/** SGLang's message of every abort that somebody asked for. A failed grammar step asks for one too. */
const ASKED_FOR = "Aborted";

/** The state of things when a request is sent, to find out later what cut it. */
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
   * @throws EngineError if nothing explains it: a weight update would not make the next request end differently.
   */
  async findCause(finish: EngineFinish, server: EngineServer): Promise<CutCause> {
    if (this.#hold.pauses !== this.#pauses) return "pause";
    if (this.#call.currentVersion() !== this.#version || this.#hasTwoVersions()) return "version";
    const { message } = finish;
    if (message !== undefined && (NEVER_RAN.test(message) || OF_AN_UPDATE.test(message))) return "message";
    const askedFor = message === undefined || message === ASKED_FOR;
    const { grammar } = this.#call.sampling;
    if (askedFor && grammar === undefined) return "message";
    const update = await server.weightUpdate?.();
    if (update?.paused) return "pause";
    if (update?.version !== undefined && this.#isNew(update.version)) return "version";
    throw unexplained(message, grammar !== undefined);
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

function unexplained(message: string | undefined, grammar: boolean): EngineError {
  const said = message === undefined ? "" : ` (${publicText(message)})`;
  const step = grammar ? " A step of the call's grammar may have failed." : "";
  return new EngineError(
    "engine_error",
    `The engine aborted the generation${said}, and neither a pause nor a new weight version explains it.${step}`,
  );
}
