/**
 * Compiles chat templates and renders them as Python's Jinja2 does. The room knows no messages and imports nothing of
 * Rolltape; `@huggingface/jinja` parses the templates. Start reading at template.ts; values/value.ts says how Python's
 * values are represented.
 */
export { RenderError } from "./errors.js";
export { compileTemplate, type Render } from "./template.js";
export { Float, int, isDict, type Key, NONE, type Value } from "./values/value.js";
