/**
 * A clock for leases that stands still while this process does. After a pause of the process, for example because its machine slept,
 * heartbeats wait unread in its sockets. With another clock, every lease would be lost before they are read.
 */
export declare class SteadyClock {
    #private;
    /**
     * @param tickMilliseconds time between two ticks. One tick never counts more than twice that time.
     * @param onTick is called with the time after each tick
     */
    constructor(tickMilliseconds: number, onTick: (now: number) => void);
    /** Milliseconds since the start, at the last tick. */
    get now(): number;
    stop(): void;
}
