import { keepSpelling } from "../support/json/spelled.js";
/** Variables that every template gets from the proxy. Requests and the configuration cannot set them. */
export const RESERVED_ARGS = new Set(["messages", "tools", "add_generation_prompt"]);
/** Returns true if two requests have the same variables in the same spelling. Key order counts: templates may print it. */
export function sameTemplateArgs(a, b) {
    return a === b || toText(a) === toText(b);
}
function toText(args) {
    return JSON.stringify(args ?? {}, keepSpelling);
}
//# sourceMappingURL=template-args.js.map