import type { NativePrompt } from "../native/contract.js";
/**
 * The body of a conversation's newest request to an engine. The next request begins with the same ids, so it overwrites
 * the end of this body and writes only the ids that are new.
 *
 * A body is *lent* until the operating system has all of its bytes. Meanwhile nothing else is written to it. If a request
 * fails, its body stays lent.
 */
export declare class PromptText {
    #private;
    /** Size of the memory, in bytes. */
    get memory(): number;
    /** True if a later request can use the body: there is one, and it is not lent. */
    get isReady(): boolean;
    /**
     * Writes a request's body and lends it. Only the ids after the shared ones are written.
     *
     * @param shared number of the prompt's first ids that the earlier request had too
     * @returns undefined if nothing can be shared, or if the body is lent
     */
    extend(prompt: NativePrompt, prefix: string, suffix: string, shared: number): Buffer | undefined;
    /**
     * Keeps a whole body and lends it.
     *
     * @returns false if another body is lent, for example that of another choice of the same call
     */
    keep(bytes: Buffer, prompt: NativePrompt, prefix: string, suffix: string): boolean;
    /** Called when the operating system has all bytes of the body. */
    giveBack(): void;
    /** Frees the memory. A body that is lent is freed by garbage collection. */
    free(): void;
}
