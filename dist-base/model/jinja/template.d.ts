import type { Steps } from "./compile/compiled.js";
import type { Value } from "./values/value.js";
/**
 * Renders a template in parts: one for each iteration of its outermost loops. A conversation that grows therefore begins
 * with the same parts again.
 *
 * @throws RenderError if the template refuses or fails
 */
export type Render = (variables: ReadonlyMap<string, Value>) => string[];
/** Renders like {@link Render}, in steps if an outermost loop is long. */
export type RenderInSteps = (variables: ReadonlyMap<string, Value>) => Steps<string[]>;
/**
 * Compiles a chat template. It renders like Python's Jinja2 in `apply_chat_template` of `transformers`.
 *
 * @param now clock for `strftime_now`
 * @throws Error if the template is not valid Jinja, or uses a feature that cannot be rendered like in Python
 */
export declare function compileTemplate(source: string, now?: () => Date): Render;
/** Compiles like {@link compileTemplate}, for conversations of thousands of messages. */
export declare function compileTemplateInSteps(source: string, now?: () => Date): RenderInSteps;
