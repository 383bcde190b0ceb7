import type { Value } from "../values/value.js";
import { Output } from "./output.js";
import type { Scope } from "./scope.js";

/** A compiled expression: evaluates it with the variables of a scope. */
export type Evaluate = (scope: Scope) => Value;

/** Work that can pause after each of its steps, and its result. */
export type RenderSteps<T> = Generator<void, T, void>;

/** How a loop continues after a statement left its iteration. */
export type LoopControl = "break" | "continue";

/** A compiled statement: runs it, and returns a {@link LoopControl} if it left the iteration of the loop around it. */
export type Run = (scope: Scope, output: Output) => LoopControl | undefined;

/** Returns the text that a body prints. Only for bodies that cannot leave a loop around them, such as a macro's. */
export function printed(body: Run, scope: Scope): string {
  const output = new Output();
  body(scope, output);
  return output.text;
}
