/**
 * The room `jinja` compiles chat templates and renders them exactly like Python's Jinja2. It knows nothing of messages and
 * imports no other room. Start reading at template.ts: parse/ reads a template into the nodes of ast.ts, compile/ makes functions of
 * them, and reuse/ takes the text of loop iterations from earlier renderings. values/value.ts says how Python's values are represented.
 */
export { RenderError } from "./errors.js";
export type { KnownRendering } from "./reuse/loop-run.js";
export { compileTemplate, type Render } from "./template.js";
export { Float, int, isDict, type Key, NONE, type Value } from "./values/value.js";
