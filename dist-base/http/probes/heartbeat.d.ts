/** Counts up in memory that threads share, while the event loop of this thread runs. Does not keep the process alive. */
export declare class Heartbeat {
    #private;
    readonly beats: Int32Array<SharedArrayBuffer>;
    stop(): void;
}
/** Measures, on another thread, for how long a heartbeat has not moved. */
export declare class HeartbeatWatch {
    #private;
    constructor(beats: Int32Array);
    /** Returns the milliseconds since the last beat, without the time in which this thread did not run either. */
    measure(now?: number): number;
    stop(): void;
}
