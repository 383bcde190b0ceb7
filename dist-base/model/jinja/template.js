import { compileProgram } from "./compile/compile-program.js";
import { Scope } from "./compile/scope.js";
import { RenderError } from "./errors.js";
import { globalVariables } from "./globals.js";
import { parseTemplate } from "./parse/parse-template.js";
import { findUnsupported } from "./unsupported.js";
/**
 * Compiles a chat template. It renders like Python's Jinja2 in `apply_chat_template` of `transformers`.
 *
 * @param now clock for `strftime_now`
 * @throws Error if the template is not valid Jinja, or uses a feature that cannot be rendered like in Python
 */
export function compileTemplate(source, now) {
    const render = compileTemplateInSteps(source, now);
    return (variables) => {
        const steps = render(variables);
        for (;;) {
            const step = steps.next();
            if (step.done)
                return step.value;
        }
    };
}
/** Compiles like {@link compileTemplate}, for conversations of thousands of messages. */
export function compileTemplateInSteps(source, now = () => new Date()) {
    const program = parseTemplate(source);
    const unsupported = findUnsupported(program);
    if (unsupported !== undefined)
        throw new Error(`${unsupported} is not supported`);
    const run = compileProgram(program);
    const globals = new Scope(globalVariables(now));
    return function* (variables) {
        try {
            return yield* run(new Scope(variables, globals));
        }
        catch (error) {
            throw asRenderError(error);
        }
    };
}
function asRenderError(error) {
    if (error instanceof RenderError)
        return error;
    if (error instanceof RangeError)
        return new RenderError("the template nests too deeply", { cause: error });
    if (error instanceof Error)
        return new RenderError(error.message, { cause: error });
    return new RenderError(String(error));
}
//# sourceMappingURL=template.js.map