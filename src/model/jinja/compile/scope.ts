import type { Value } from "../values/value.js";

/** The variables of a block. A name that it does not have is looked up in the block around it. */
export class Scope {
  readonly #variables: Map<string, Value>;
  readonly #outer: Scope | undefined;

  constructor(variables?: ReadonlyMap<string, Value>, outer?: Scope) {
    this.#variables = new Map(variables);
    this.#outer = outer;
  }

  /** Returns a scope for a block inside this one. Variables set there are not seen outside. */
  inner(): Scope {
    return new Scope(undefined, this);
  }

  get(name: string): Value | undefined {
    return this.#variables.get(name) ?? this.#outer?.get(name);
  }

  set(name: string, value: Value): void {
    this.#variables.set(name, value);
  }
}
