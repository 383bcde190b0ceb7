/** The answer of `GET /readyz`: 200 if the process accepts new work. */
export interface Readiness {
    readonly statusCode: 200 | 503;
    readonly body: object;
}
/** State of the main thread at the time of a probe. */
export interface MainThread {
    /** Its last report. Undefined until it accepts calls. */
    readonly readiness: Readiness | undefined;
    /** Time since its event loop last ran. */
    readonly silentMilliseconds: number;
    readonly stallSeconds: number;
}
export interface ProbeAnswer {
    readonly statusCode: number;
    readonly body: object;
}
/** Returns the answer to a probe. Stalls count only after the start, which may occupy the main thread for minutes. */
export declare function answerProbe(method: string | undefined, path: string, main: MainThread): ProbeAnswer;
