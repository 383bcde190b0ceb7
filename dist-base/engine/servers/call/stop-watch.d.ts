import type { GenerateCall } from "../../engine.js";
/** Ends a request whose server continues after a stop string. This is no failure: the output is complete. */
export declare class StopReached extends Error {
    readonly name = "StopReached";
}
/**
 * Searches the growing output for stop strings, and removes the tokens after the token that completes the first of them.
 *
 * Servers search too, except vLLM servers without a detokenizer (`--tokens-only`). No server finds a stop string that
 * began before a weight update cut the generation. Texts are compared as bytes, because a token may end inside a character.
 */
export declare class StopWatch {
    #private;
    private constructor();
    /** Returns undefined if the call has no stop strings or no `tokenBytes`. */
    static create(call: GenerateCall): StopWatch | undefined;
    /** The stop string that the output ends with. */
    get matched(): string | undefined;
    /**
     * Reads the new tokens. Tokens after a stop string are removed from the generation.
     *
     * @returns true if tokens were removed; then the server does not know that the output is complete
     */
    read(): boolean;
    /** Starts over after the generation was discarded. */
    reset(): void;
}
