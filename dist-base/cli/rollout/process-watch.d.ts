/** A job that can be stopped before its end. Both methods do nothing once the job is over. */
export interface StoppableJob {
    interrupt(): void;
    fail(error: Error): void;
}
/**
 * Passes signals and uncaught errors on to the job. It begins before agents are imported and lasts until the summary is
 * printed, because timers and promises of agents outlive the job. Before there is a job, both end the process immediately.
 */
export declare class ProcessWatch implements Disposable {
    #private;
    /** True after the first signal. */
    get interrupted(): boolean;
    /** Call it when the job begins. */
    begin(job: StoppableJob): void;
    [Symbol.dispose](): void;
}
