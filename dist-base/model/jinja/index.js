/**
 * The room `jinja` compiles chat templates and renders them exactly like Python's Jinja2. It knows nothing of messages and
 * imports no other room. Start reading at template.ts: parse/ reads a template into the nodes of ast.ts, compile/ makes functions of
 * them. values/value.ts says how Python's values are represented.
 */
export { RenderError } from "./errors.js";
export { compileTemplate, compileTemplateInSteps } from "./template.js";
export { Float, int, isDict, NONE } from "./values/value.js";
//# sourceMappingURL=index.js.map