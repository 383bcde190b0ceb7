import type { Program } from "../ast.js";
/**
 * Parses a template like Jinja2 with the options of `transformers`: source → tokens → nodes.
 *
 * @throws Error on invalid syntax, and on tags that are not supported, such as `{% include %}`
 */
export declare function parseTemplate(source: string): Program;
