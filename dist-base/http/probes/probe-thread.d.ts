/** `workerData` of the thread. */
export interface ProbeThreadData {
    readonly host: string;
    readonly port: number;
    readonly stallSeconds: number;
    readonly beats: Int32Array;
}
/** The one message of the thread: where it listens, or why it cannot. */
export type ProbeThreadStart = {
    readonly url: string;
} | {
    readonly error: string;
};
