export declare function anthropicErrorType(status: number): string;
/** The field with which a client keeps its conversation on the server and sends only new messages. */
export declare const THREAD_PARAM = "thread";
/** Error details that tell Anthropic's SDK that a server has no threads. Its tool runner then sends whole conversations. */
export declare const NO_THREADS: {
    details: {
        error_code: string;
        unsupported: string[];
    };
};
