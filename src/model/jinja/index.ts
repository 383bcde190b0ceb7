/**
 * The room `jinja` compiles chat templates and renders them exactly like Python's Jinja2. It knows nothing of messages and
 * imports no other room; the package `@huggingface/jinja` parses the templates. Start reading at template.ts;
 * values/value.ts says how Python's values are represented.
 */
export { RenderError } from "./errors.js";
export { compileTemplate, compileTemplateInSteps, type Render, type RenderInSteps } from "./template.js";
export { Float, int, isDict, type Key, NONE, type Value } from "./values/value.js";
