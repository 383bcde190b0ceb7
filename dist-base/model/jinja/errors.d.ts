/** An error that Python raises while a template runs. Errors that templates often cause have Python's message. */
export declare class RenderError extends Error {
    readonly name: string;
}
