export interface CodedErrorOptions extends ErrorOptions {
    /** The field or option at fault. */
    readonly param?: string | undefined;
    /** More facts for programs, such as the ids of all sessions at fault. */
    readonly details?: Readonly<Record<string, unknown>> | undefined;
}
/** Base of every error that callers tell apart. `code` is stable; the message may change. */
export declare abstract class CodedError<Code extends string = string> extends Error {
    readonly code: Code;
    readonly param: string | undefined;
    readonly details: Readonly<Record<string, unknown>> | undefined;
    constructor(code: Code, message: string, { param, details, ...options }?: CodedErrorOptions);
}
