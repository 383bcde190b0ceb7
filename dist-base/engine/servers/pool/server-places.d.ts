import type { Deadline } from "../../../support/async/deadline.js";
/**
 * The places of one engine server. Each running request takes one. If all are taken, requests wait, and sessions take turns. So a
 * session with thousands of requests delays a request of another session only until a place becomes free.
 */
export declare class ServerPlaces {
    #private;
    /** Requests that may run at once. */
    readonly limit: number;
    constructor(limit: number);
    get waiting(): number;
    /** Takes a place if one is free. No place is free while requests wait, because a returned place goes to one of them. */
    tryTake(): boolean;
    /**
     * Waits for a place. Stops the clock of the call's deadline meanwhile: the limit is for the engine's work, and calls must not
     * fail because a server is busy. Rejects with the deadline's reason if it aborts first.
     *
     * @returns false if the request was sent away
     */
    wait(session: string, deadline: Deadline): Promise<boolean>;
    /** Gives a place back. It goes directly to a waiting request, so that a later request cannot take it first. */
    giveBack(): void;
    /** Sends all waiting requests away, so that they are routed again. */
    sendAway(): void;
    /** Rejects all waiting requests. */
    close(reason: unknown): void;
}
