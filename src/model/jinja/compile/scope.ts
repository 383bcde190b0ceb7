import { RenderError } from "../errors.js";
import type { Value } from "../values/value.js";

/** The number of blocks that one rendering may still enter: iterations, and calls of macros. */
export interface BlockBudget {
  left: number;
}

/** The variables of a block. A name that it does not have is looked up in the block around it. */
export class Scope {
  readonly #variables: Map<string, Value>;
  readonly #outer: Scope | undefined;
  readonly #budget: BlockBudget | undefined;

  constructor(variables?: ReadonlyMap<string, Value>, outer?: Scope, budget?: BlockBudget) {
    this.#variables = new Map(variables);
    this.#outer = outer;
    this.#budget = budget;
  }

  /**
   * Returns a scope for a block inside this one. Variables set there are not seen outside.
   *
   * @throws RenderError if the rendering has entered too many blocks, as a template that never ends does
   */
  inner(): Scope {
    if (this.#budget && --this.#budget.left < 0) {
      throw new RenderError("the template has too many iterations and calls of macros");
    }
    return new Scope(undefined, this, this.#budget);
  }

  get(name: string): Value | undefined {
    return this.#variables.get(name) ?? this.#outer?.get(name);
  }

  set(name: string, value: Value): void {
    this.#variables.set(name, value);
  }
}
