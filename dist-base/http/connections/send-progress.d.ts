import type { Socket } from "node:net";
/**
 * Measures how long a client has read nothing. Progress means that the operating system accepts bytes for the client. A client that
 * reads slowly makes progress; a client that only sends further requests does not.
 */
export declare class SendProgress {
    #private;
    /**
     * Returns the milliseconds for which bytes wait and the operating system has accepted none. They count from the first call that
     * found this.
     *
     * @param now milliseconds of a monotonic clock
     */
    measurePause(socket: Socket, now: number): number;
}
