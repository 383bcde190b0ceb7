import type { Scope, Value } from "./jinja.js";

/** The scope of a block. The package's own makes the function `namespace` anew for each, which ours have from the outermost. */
export class InnerScope implements Scope {
  readonly variables = new Map<string, Value>();
  readonly parent: Scope;

  constructor(parent: Scope) {
    this.parent = parent;
  }

  setVariable(name: string, value: Value): Value {
    this.variables.set(name, value);
    return value;
  }
}

/** The scope of a loop's iteration. Its `loop` is made when it is asked for: it takes longer than most iterations. */
export class IterationScope extends InnerScope {
  readonly #makeLoop: () => Value;

  constructor(parent: Scope, makeLoop: () => Value) {
    super(parent);
    this.#makeLoop = makeLoop;
  }

  get loop(): Value {
    return this.variables.get("loop") ?? this.setVariable("loop", this.#makeLoop());
  }
}
