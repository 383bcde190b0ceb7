import type { Socket } from "node:net";
import type { Answer } from "./answer.js";
import type { ConnectionLimit } from "./connection-limit.js";
import { type WaitingMemory } from "./waiting-memory.js";
export interface WaitingLimits {
    /** How many requests may wait for the answers before them. */
    readonly maxWaiting: number;
    /** Shared by all connections. */
    readonly memory: WaitingMemory;
    /** Learns which connections are idle. */
    readonly connections: ConnectionLimit;
}
/**
 * Handles the requests of one connection one after the other: a request waits until the answer before it is sent. If that answer
 * closes the connection, the request is not handled at all, because its own answer could not be delivered.
 */
export declare class Connection {
    #private;
    /** @param closing closes the connection after its next answer */
    constructor(socket: Socket, limits: WaitingLimits, closing: boolean);
    /** The answers that were not sent yet. */
    get openAnswers(): Answer[];
    /**
     * Returns the answer in progress if the client stopped reading it this long ago. Call this at short intervals.
     *
     * @param now milliseconds of a monotonic clock
     */
    findUnread(milliseconds: number, now: number): Answer | undefined;
    /** Calls `start` when it is the request's turn. Never calls it if the connection closes first. */
    accept(answer: Answer, start: () => void): void;
    /** Forgets the requests that wait. Call this when the connection has closed. */
    dropWaiting(): void;
    /** Sends a text after the answers to all requests that were received completely, and closes the connection. */
    endWith(text: string): void;
    /** Closes the connection now if it is idle, else after the answer in progress. */
    closeSoon(): void;
}
