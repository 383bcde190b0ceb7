/** Runs one refresh at a time, which concurrent callers share. */
export declare class SharedRefresh {
    #private;
    constructor(refresh: () => Promise<void>);
    /** True while a call of {@link runNext} waits. */
    get isNextRunning(): boolean;
    /** Refreshes now, or waits for the refresh in progress. */
    run(): Promise<void>;
    /** Refreshes after the one in progress, which may have read its sources before they changed. Concurrent calls share this refresh. */
    runNext(): Promise<void>;
}
