import { Output } from "./output.js";
/** Returns the text that a body prints. Only for bodies that cannot leave a loop around them, such as a macro's. */
export function printed(body, scope) {
    const output = new Output();
    body(scope, output);
    return output.text;
}
//# sourceMappingURL=compiled.js.map