import type { Output } from "../compile/output.js";
import type { Scope } from "../compile/scope.js";
import { Namespace } from "../values/namespace.js";
import { isDict, NONE, type Value } from "../values/value.js";
import type { LoopInputs } from "./loop-inputs.js";
import { areSameInputs, objectId, type RecordedInputs, recordInputs } from "./recorded-inputs.js";

/** An earlier rendering of the template: its parts, and the records of its outermost loops. */
export interface KnownRendering {
  readonly parts: readonly string[];
  readonly loops: readonly RecordedLoop[];
}

/**
 * The record of one run of an outermost loop. A later run takes the text of the first iterations from it, as far as their items and
 * everything else that they depend on are the same.
 */
export interface RecordedLoop {
  readonly inputs: LoopInputs;
  readonly values: RecordedInputs;
  /** Number of parts before the loop. Each iteration is one part. */
  readonly firstPart: number;
  /** Number of items of the loop. */
  readonly length: number;
  /** Ids ({@link objectId}) of the first items, those whose iterations a later run can take. */
  readonly items: readonly number[];
  /** Attributes of the namespaces after each of these iterations. Empty if the iterations change no namespace. */
  readonly states: readonly NamespaceState[];
}

/** The attributes of each namespace among {@link LoopInputs.names}. */
type NamespaceState = readonly ReadonlyMap<string, Value>[];

/** The earlier renderings that a rendering may take iterations from, and what it records for later ones. */
export interface RenderingHistory {
  readonly known: readonly KnownRendering[];
  readonly loops: RecordedLoop[];
}

/** Iterations that a run takes from an earlier one: from index `from` up to, but not including, `to`. */
interface TakenIterations {
  readonly loop: RecordedLoop;
  readonly parts: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** Running the iterations of a shorter loop takes no longer than recording them. */
const MIN_ITEMS = 8;

/** A run before its first iteration. */
interface LoopStart extends Pick<RecordedLoop, "inputs" | "values" | "firstPart"> {
  readonly items: readonly Value[];
}

/** Takes the first iterations of a running outermost loop from an earlier run if it can, and records the run for later ones. */
export class LoopRun {
  readonly #start: LoopStart;
  /** The namespaces that an iteration may change. */
  readonly #namespaces: readonly Namespace[];
  readonly #history: RenderingHistory;
  readonly #recordedItems: number[] = [];
  readonly #states: NamespaceState[] = [];
  #taken: TakenIterations | undefined;
  /** Recording has stopped: a later run can take neither the last iteration nor those after it. */
  #hasStopped = false;

  private constructor(start: LoopStart, namespaces: readonly Namespace[], history: RenderingHistory) {
    this.#start = start;
    this.#namespaces = namespaces;
    this.#history = history;
    this.#taken = this.#find(history.known);
  }

  /**
   * Begins a run.
   *
   * @param inputs what the iterations depend on; undefined if this is not known
   * @param firstPart number of parts that were printed before the loop
   * @returns undefined if the run takes no iterations, and no later run can take any from it
   */
  static begin(
    inputs: LoopInputs | undefined,
    items: readonly Value[],
    scope: Scope,
    firstPart: number,
    history: RenderingHistory,
  ): LoopRun | undefined {
    if (inputs === undefined || items.length < MIN_ITEMS) return undefined;
    if (inputs.lists.some((name) => scope.get(name) !== items)) return undefined;
    const values = recordInputs(inputs.names, scope);
    if (values === undefined) return undefined;
    const changed = inputs.changesNamespace ? inputs.names.map((name) => scope.get(name)) : [];
    const namespaces = changed.filter((value) => value instanceof Namespace);
    return new LoopRun({ inputs, values, items, firstPart }, namespaces, history);
  }

  /** Returns the iterations that this run can take from the earlier run that has the most of them. */
  #find(known: readonly KnownRendering[]): TakenIterations | undefined {
    const { inputs, values } = this.#start;
    let best: TakenIterations | undefined;
    for (const { parts, loops } of known) {
      for (const loop of loops) {
        if (loop.inputs !== inputs || !areSameInputs(loop.values, values)) continue;
        const to = this.#countSame(loop);
        // In the first iteration, the previous element is the last one of the list, which may differ now.
        const from = inputs.readsPrevious ? 1 : 0;
        if (to > Math.max(from, best?.to ?? 0)) best = { loop, parts, from, to };
      }
    }
    return best;
  }

  #countSame({ items, length }: RecordedLoop): number {
    const { inputs, items: own } = this.#start;
    let count = 0;
    while (count < items.length && count < own.length && this.#idOf(count) === items[count]) count++;
    const isWhole = count === length && count === own.length;
    return inputs.readsNext && !isWhole ? count - 1 : count;
  }

  #idOf(index: number): number | undefined {
    const item = this.#start.items[index];
    return isDict(item) ? objectId(item) : undefined;
  }

  /**
   * Prints an iteration and changes the namespaces as the earlier run did.
   *
   * @returns false if the iteration must run
   */
  take(index: number, output: Output): boolean {
    const taken = this.#taken;
    if (taken === undefined || index < taken.from || index >= taken.to) return false;
    if (index === taken.from && !this.#hasStateBefore(taken)) {
      this.#taken = undefined;
      return false;
    }
    const { loop, parts, to } = taken;
    output.addPart(parts[loop.firstPart + index] ?? "");
    this.#record(loop.items[index], loop.states[index]);
    // Nothing reads the namespaces before the last taken iteration ends.
    if (index === to - 1) this.#restore(loop.states[index] ?? []);
    return true;
  }

  #restore(state: NamespaceState): void {
    for (const [i, entries] of state.entries()) {
      for (const [name, value] of entries) this.#namespaces[i]?.set(name, value);
    }
  }

  /** Returns true if the namespaces are as they were before the first taken iteration. At index 0, they were compared as inputs. */
  #hasStateBefore({ from, loop }: TakenIterations): boolean {
    if (from === 0 || this.#namespaces.length === 0) return true;
    const [before, now] = [loop.states[from - 1], this.#states[from - 1]];
    return before !== undefined && now !== undefined && isSameState(before, now);
  }

  /** Records an iteration that ran to its end. */
  add(index: number): void {
    if (this.#hasStopped) return;
    const item = this.#idOf(index);
    const state = this.#namespaces.map(({ entries }) => entries);
    this.#hasStopped = item === undefined || !state.every(isPlain);
    this.#record(item, state.length > 0 ? this.#keep(state) : undefined);
  }

  #record(item: number | undefined, state: NamespaceState | undefined): void {
    if (item === undefined || this.#hasStopped) return;
    this.#recordedItems.push(item);
    if (state !== undefined) this.#states.push(state);
  }

  /** Returns a copy of a state, or the last one if it is the same. */
  #keep(state: NamespaceState): NamespaceState {
    const last = this.#states.at(-1);
    return last && isSameState(last, state) ? last : state.map((entries) => new Map(entries));
  }

  /** Adds the record of the run to the history, after its last iteration. */
  end(): void {
    const { items, ...start } = this.#start;
    this.#history.loops.push({ ...start, length: items.length, items: this.#recordedItems, states: this.#states });
  }
}

/** Returns true if a record may keep these attributes. Lists and dicts would keep messages in memory. */
function isPlain(entries: ReadonlyMap<string, Value>): boolean {
  return [...entries.values()].every(
    (value) => (typeof value !== "object" && typeof value !== "function") || value === NONE,
  );
}

/** The order of the attributes counts, because a printed namespace shows it. */
function isSameState(a: NamespaceState, b: NamespaceState): boolean {
  return a.every((entries, index) => {
    const others = [...(b[index] ?? [])];
    if (others.length !== entries.size) return false;
    return [...entries].every(([name, value], i) => others[i]?.[0] === name && others[i]?.[1] === value);
  });
}
