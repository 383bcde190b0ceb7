/** An error that Python raises while a template runs. Errors that templates often cause have Python's message. */
export class RenderError extends Error {
    name = "RenderError";
}
//# sourceMappingURL=errors.js.map