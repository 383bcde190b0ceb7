import { EngineError, type LabelVersions } from "./engine.js";

const MAX_INT32 = 2 ** 31 - 1;

export interface KnownLabels {
  /** Versions by label, in order of appearance. */
  readonly versions: Readonly<Record<string, number>>;
  /** The highest version that an engine has named, or that a label has; -1 if there is none. */
  readonly highest: number;
}

const NONE: KnownLabels = { versions: {}, highest: -1 };

/**
 * The versions of weights to which somebody has given a text such as `step-1` as the version. Labels become integers in the order
 * in which engines name them: a new label gets a higher version than all before it, because trainers compute from the difference
 * of two versions how old a token is.
 */
export class VersionLabels implements LabelVersions {
  readonly #versions: Map<string, number>;
  readonly #onChange: (known: KnownLabels) => void;
  #highest: number;

  /**
   * @param known what was known before a restart
   * @param onChange receives everything that is known after each change, before the version is recorded
   */
  constructor(known: KnownLabels = NONE, onChange: (known: KnownLabels) => void = () => undefined) {
    this.#versions = new Map(Object.entries(known.versions));
    this.#highest = known.highest;
    this.#onChange = onChange;
  }

  get known(): KnownLabels {
    return { versions: Object.fromEntries(this.#versions), highest: this.#highest };
  }

  note(version: number): void {
    if (version <= this.#highest) return;
    this.#highest = version;
    this.#onChange(this.known);
  }

  /** @throws EngineError if there is no higher version */
  versionOf(label: string, current: number): number {
    const found = this.#versions.get(label);
    if (found !== undefined) return found;
    const version = Math.max(this.#highest, current) + 1;
    if (version > MAX_INT32) {
      const message = `The weight version ${JSON.stringify(label)} cannot be recorded: a text gets the next integer, and ${MAX_INT32} is in use. Use integers as versions.`;
      throw new EngineError("engine_error", message);
    }
    this.#versions.set(label, version);
    this.#highest = version;
    this.#onChange(this.known);
    return version;
  }
}
