export interface EmbeddedOptions {
    /** A GGUF file. Default: the tiny random-weight model, which is generated on first use. */
    readonly modelPath?: string | undefined;
    /** Limit of prompt and output tokens of one call together. Default: the model's own, at most 16,384. */
    readonly contextSize?: number | undefined;
    /** Time limit of one call, without its waits for a free sequence and for the end of a pause. Default 0: no limit. */
    readonly timeoutSeconds?: number | undefined;
    /** Calls that run at the same time, each with its own KV cache. More calls wait. Default 8. */
    readonly sequences?: number | undefined;
    /**
     * Threads of llama.cpp. Default 1. More threads than free cores make it slower by orders of magnitude, because its
     * threads spin while they wait for each other.
     */
    readonly threads?: number | undefined;
}
export declare const DEFAULT_CONTEXT_SIZE = 16384;
export declare const DEFAULT_SEQUENCES = 8;
