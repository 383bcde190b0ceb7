import { parseBody } from "./parse-statements.js";
import { TokenStream } from "./token-stream.js";
import { tokenize } from "./tokenize.js";
/**
 * Parses a template like Jinja2 with the options of `transformers`: source → tokens → nodes.
 *
 * @throws Error on invalid syntax, and on tags that are not supported, such as `{% include %}`
 */
export function parseTemplate(source) {
    return { type: "Program", body: parseBody(new TokenStream(tokenize(source)), []) };
}
//# sourceMappingURL=parse-template.js.map