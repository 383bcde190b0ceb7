import type { MessageWriter } from "./message-writer.js";
/** Creates an id for a call without one. */
export type CallIds = () => string;
export declare const randomCallId: CallIds;
/**
 * A call that is being read. It is written as an event only when the whole call is well formed, because any character of
 * the arguments can make it malformed, and events cannot be taken back.
 */
export declare class PendingCall {
    #private;
    constructor(out: MessageWriter, newId: CallIds);
    get isNamed(): boolean;
    get name(): string | undefined;
    get hasArguments(): boolean;
    /** @param id the id that the model gave the call, if its format has ids */
    setName(name: string, id?: string): void;
    /** Appends to the text of the arguments, which is well formed so far. */
    readonly arguments: (text: string) => void;
    /** Writes the call, which is well formed. A call without arguments gets an empty object. */
    close(): void;
}
