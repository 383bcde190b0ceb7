import type { FastifyBaseLogger } from "fastify";
import type { Readiness } from "./probe-answers.js";
export interface ProbePortOptions {
    readonly host: string;
    /** Null opens no port; 0 chooses a free one. */
    readonly port: number | null;
    /** Time for which the main thread may not run until `/livez` fails. */
    readonly stallSeconds: number;
    readonly logger?: FastifyBaseLogger | undefined;
}
/**
 * A listener for probes on a thread of its own. It answers at once even if the main thread is busy or has thousands of
 * connections to accept. The main thread reports its readiness every second; a heartbeat shows whether it runs.
 */
export declare class ProbePort {
    #private;
    readonly url: string;
    private constructor();
    /**
     * Listens. Until {@link start}, the process is alive but not ready.
     *
     * @returns undefined if `port` is null
     * @throws Error if the port cannot be opened
     */
    static open({ host, port, stallSeconds, logger }: ProbePortOptions): Promise<ProbePort | undefined>;
    /** Reports the readiness now and every second. From here on, a stall of the main thread fails `/livez`. */
    start(readReadiness: () => Readiness | Promise<Readiness>): Promise<void>;
    /** Reports the readiness now. If several reads overlap, a result older than the last report is dropped. */
    refresh(): Promise<void>;
    close(): Promise<void>;
}
