import { dictRepr } from "./repr.js";
import { PythonObject, type Value } from "./value.js";

/** The result of `namespace()`, the one value that templates can change: `{% set ns.name = … %}`. */
export class Namespace extends PythonObject {
  override readonly typeName = "Namespace";
  readonly #entries: Map<string, Value>;

  constructor(entries: Iterable<readonly [string, Value]>) {
    super();
    this.#entries = new Map(entries);
  }

  set(name: string, value: Value): void {
    this.#entries.set(name, value);
  }

  /** All attributes, in the order in which they were first set. */
  get entries(): ReadonlyMap<string, Value> {
    return this.#entries;
  }

  override attribute(name: string): Value | undefined {
    return this.#entries.get(name);
  }

  override repr(): string {
    return `<Namespace ${dictRepr(this.#entries)}>`;
  }
}
