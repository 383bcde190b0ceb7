import type { Program } from "./ast.js";
import { compileProgram } from "./compile/compile-program.js";
import type { RenderSteps } from "./compile/compiled.js";
import { Scope } from "./compile/scope.js";
import { RenderError } from "./errors.js";
import { globalVariables } from "./globals.js";
import { parseBody } from "./parse/parse-statements.js";
import { TokenStream } from "./parse/token-stream.js";
import { tokenize } from "./parse/tokenize.js";
import type { KnownRendering, RecordedLoop } from "./reuse/loop-run.js";
import { findUnsupported } from "./unsupported.js";
import type { Value } from "./values/value.js";

/**
 * Renders a template in parts: one for each iteration of its outermost loops. A conversation that grows therefore begins
 * with the same parts again. If an outermost loop is long, it is rendered in steps. If iterations of an outermost loop print the same
 * as in an earlier rendering, their text is taken from it.
 *
 * @param known earlier renderings with this template
 * @param maxBlocks maximum number of iterations and calls of macros. Default: no limit
 * @throws RenderError if the template refuses or fails
 */
export type Render = (
  variables: ReadonlyMap<string, Value>,
  known?: readonly KnownRendering[],
  maxBlocks?: number,
) => RenderSteps<KnownRendering>;

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
  return function* (variables, known = [], maxBlocks = Number.POSITIVE_INFINITY) {
    const scope = new Scope(variables, globals, { left: maxBlocks });
    const loops: RecordedLoop[] = [];
    try {
      return { parts: yield* run(scope, { known, loops }), loops };
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

/**
 * Parses a template like Jinja2 with the options of `transformers`: source → tokens → nodes.
 *
 * @throws Error on invalid syntax, and on tags that are not supported, such as `{% include %}`
 */
function parseTemplate(source: string): Program {
  return { type: "Program", body: parseBody(new TokenStream(tokenize(source)), []) };
}
