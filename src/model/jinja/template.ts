import { compileProgram } from "./compile/compile-program.js";
import { Scope } from "./compile/scope.js";
import { RenderError } from "./errors.js";
import { globalVariables } from "./globals.js";
import { parseTemplate } from "./parse-template.js";
import { findUnsupported } from "./unsupported.js";
import type { Value } from "./values/value.js";

/**
 * Renders a template in parts: one for each iteration of its outermost loops. A conversation that grows therefore begins
 * with the same parts again.
 *
 * @throws RenderError if the template refuses or fails
 */
export type Render = (variables: ReadonlyMap<string, Value>) => string[];

/**
 * Compiles a chat template. It renders like Python's Jinja2 in `apply_chat_template` of `transformers`.
 *
 * @param now clock for `strftime_now`
 * @throws Error if the template is not valid Jinja, or uses a feature that cannot be rendered like in Python
 */
export function compileTemplate(source: string, now: () => Date = () => new Date()): Render {
  const program = parseTemplate(source);
  const unsupported = findUnsupported(program);
  if (unsupported !== undefined) throw new Error(`${unsupported} is not supported`);
  const run = compileProgram(program);
  const globals = new Scope(globalVariables(now));
  return (variables) => {
    try {
      return run(new Scope(variables, globals));
    } catch (error) {
      throw asRenderError(error);
    }
  };
}

function asRenderError(error: unknown): RenderError {
  if (error instanceof RenderError) return error;
  if (error instanceof RangeError) return new RenderError("the template nests too deeply", { cause: error });
  if (error instanceof Error) return new RenderError(error.message, { cause: error });
  return new RenderError(String(error));
}
