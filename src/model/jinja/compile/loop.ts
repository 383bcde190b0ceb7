import type { LoopRun } from "../reuse/loop-run.js";
import { equal } from "../values/compare.js";
import { PythonObject, Undefined, type Value } from "../values/value.js";
import type { Assign } from "./assignment.js";
import type { LoopControl, RenderSteps, Run } from "./compiled.js";
import type { Output } from "./output.js";
import type { Scope } from "./scope.js";

/** Number of iterations of an outermost loop in one step. The caller decides how many steps it runs before it pauses. */
const ITERATIONS_PER_STEP = 16;

/** The compiled parts of a `{% for %}`. */
export interface ForLoop {
  readonly items: (scope: Scope) => readonly Value[];
  readonly assign: Assign;
  readonly body: Run;
  /** Runs if there are no items. */
  readonly otherwise: Run;
}

/** Runs the body for each item in a scope of its own, so an iteration does not see variables of the previous one. */
export function runLoop({ items: evaluate, assign, body, otherwise }: ForLoop): Run {
  return (scope, output) => {
    const items = evaluate(scope);
    if (items.length === 0) return otherwise(scope.inner(), output);
    const loop = new LoopVariable(items);
    const iterate = createIteration({ assign, body }, loop, scope, output);
    for (const [index, item] of items.entries()) if (iterate(index, item) === "break") break;
    return undefined;
  };
}

/**
 * Runs like {@link runLoop}, in steps of some iterations.
 *
 * @param begin starts to record the run. Only for loops whose iterations are parts of the output
 */
export function* runLoopInSteps(
  { items: evaluate, assign, body, otherwise }: ForLoop,
  scope: Scope,
  output: Output,
  begin: (items: readonly Value[]) => LoopRun | undefined = () => undefined,
): RenderSteps<void> {
  const items = evaluate(scope);
  if (items.length === 0) {
    otherwise(scope.inner(), output);
    return;
  }
  const run = begin(items);
  const iterate = createIteration({ assign, body }, new LoopVariable(items), scope, output);
  for (const [index, item] of items.entries()) {
    if (run?.take(index, output)) continue;
    if (index % ITERATIONS_PER_STEP === ITERATIONS_PER_STEP - 1) yield;
    if (iterate(index, item) === "break") break;
    run?.add(index);
  }
  run?.end();
}

function createIteration(
  { assign, body }: Pick<ForLoop, "assign" | "body">,
  loop: LoopVariable,
  scope: Scope,
  output: Output,
): (index: number, item: Value) => LoopControl | undefined {
  return (index, item) => {
    loop.moveTo(index);
    const inner = scope.inner();
    inner.set("loop", loop);
    assign(inner, item);
    return body(inner, output);
  };
}

/** The variable `loop`: one for all iterations of a loop, as in Jinja2. */
class LoopVariable extends PythonObject {
  override readonly typeName = "LoopContext";
  readonly #items: readonly Value[];
  #index = 0;
  #lastValues: readonly Value[] | undefined;

  constructor(items: readonly Value[]) {
    super();
    this.#items = items;
  }

  moveTo(index: number): void {
    this.#index = index;
  }

  override attribute(name: string): Value | undefined {
    const index = this.#index;
    const length = this.#items.length;
    switch (name) {
      case "index":
        return index + 1;
      case "index0":
        return index;
      case "revindex":
        return length - index;
      case "revindex0":
        return length - index - 1;
      case "first":
        return index === 0;
      case "last":
        return index === length - 1;
      case "length":
        return length;
      case "depth":
        // Only recursive loops are deeper, and the parser does not support them.
        return 1;
      case "depth0":
        return 0;
      case "previtem":
        return this.#items[index - 1] ?? new Undefined(() => "there is no previous item");
      case "nextitem":
        return this.#items[index + 1] ?? new Undefined(() => "there is no next item");
      case "cycle":
        return (args) => this.#cycle(args);
      case "changed":
        return (args) => this.#changed(args);
      default:
        return undefined;
    }
  }

  override repr(): string {
    return `<LoopContext ${this.#index + 1}/${this.#items.length}>`;
  }

  #cycle(items: readonly Value[]): Value {
    return items[this.#index % items.length] ?? new Undefined(() => "no items for cycling given");
  }

  /** Returns true if the values differ from those of the previous call. */
  #changed(values: readonly Value[]): boolean {
    if (this.#lastValues !== undefined && equal(this.#lastValues, values)) return false;
    this.#lastValues = values;
    return true;
  }
}
