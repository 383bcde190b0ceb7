import type { Message } from "../conversation/message.js";
import type { TemplateArgs } from "../conversation/template-args.js";
/** Memory of all sessions together. Each session updates it, so the sum is known without visiting them. */
export interface ByteTally {
    bytes: number;
}
/** Tokens and bytes that a call adds to its session. Those that it shares with its parent do not count. */
export interface SessionGrowth {
    readonly tokens: number;
    readonly bytes: number;
}
/** What a prompt adds to its session, and the parent whose other tokens it shares. */
export interface PromptGrowth extends SessionGrowth {
    readonly parent: number | undefined;
}
/** Native memory of a prompt token, in bytes. */
export declare const TOKEN_BYTES = 4;
/** Counts the memory of one session: its native memory, and an estimate of its JavaScript objects. */
export declare class SessionSize {
    #private;
    /**
     * @param readNative returns the session's native memory in bytes
     * @param tokens of calls that are on disk only
     */
    constructor(readNative: () => number, tally: ByteTally, tokens?: number);
    /** Memory of the session, in bytes; 0 once it is freed. */
    get bytes(): number;
    /** Tokens of all calls. A call that continues another one counts only the tokens that it adds. */
    get tokens(): number;
    /** Adds a recorded call: its new tokens, and the objects that it does not share. */
    addCall(tokens: number, objectBytes: number): void;
    /** Stops counting the session's data, because it is on disk only from now on. */
    unload(): void;
    /** Adds objects that live as long as the session's data. */
    addObjects(bytes: number): void;
    /** Adds objects that other sessions use, too. Whoever shares them counts them in the memory of all sessions. */
    addShared(bytes: number): void;
    /** Stops counting the session. */
    free(): void;
}
/**
 * Returns the memory of a call's objects without its output, in bytes.
 *
 * @param messages the messages that it does not share with its parent
 * @param templateArgs variables of the chat template, if its parent has others
 */
export declare function measureRequest(messages: readonly Message[], templateArgs: TemplateArgs | undefined): number;
/** Returns the memory of messages in bytes. V8 stores a character in one byte or two; UTF-8 is close to that. */
export declare function measureMessages(messages: readonly Message[]): number;
/** Returns the memory of a parsed value of a request, in bytes. */
export declare function measureJson(value: object): number;
