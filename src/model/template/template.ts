import { globalScope } from "./globals.js";
import { PythonInterpreter } from "./interpreter.js";
import { parseTemplate, type Value } from "./jinja.js";
import { findUnsupported } from "./unsupported.js";
import { RenderError } from "./values.js";

/**
 * Renders with these variables, in parts: what each iteration of the template's outermost loops prints is one, so that a
 * conversation that grows has the same parts again. Throws {@link RenderError} where the template refuses or fails.
 */
export type Render = (variables: ReadonlyMap<string, Value>) => string[];

/**
 * Compiles a chat template, to be rendered as Python's Jinja2 renders it in `transformers`' `apply_chat_template`.
 *
 * @param now the clock behind `strftime_now`
 * @throws Error where the template is not valid Jinja, or uses what cannot be rendered as in Python
 */
export function compileTemplate(source: string, now: () => Date = () => new Date()): Render {
  const program = parseTemplate(source);
  const unsupported = findUnsupported(program);
  if (unsupported !== undefined) throw new Error(`${unsupported} is not supported`);
  return (variables) => {
    const scope = globalScope(now);
    for (const [name, value] of variables) scope.setVariable(name, value);
    try {
      return new PythonInterpreter(scope).parts(program, scope);
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
