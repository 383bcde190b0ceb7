import type { DestinationStream } from "pino";
import { type ChildEnd } from "../../support/processes/child-end.js";
/** How often a process is restarted. */
export interface RestartLimit {
    readonly times: number;
    /** Earlier restarts no longer count once the process has accepted calls for this time. */
    readonly forgetSeconds: number;
}
export interface JobProcessOptions {
    /** Its name in messages. */
    readonly kind: "proxy worker" | "rollout worker";
    /** Command of `rolltape` and its arguments. */
    readonly args: readonly [command: "serve" | "worker", ...args: string[]];
    readonly env: NodeJS.ProcessEnv;
    /** Receives its standard error, whole lines at a time. */
    readonly logs: DestinationStream;
    /** The loss that its death causes, for the message about it: "its sessions are lost". */
    readonly cost: string;
    /** Is called when it dies. */
    readonly onDeath?: ((how: string, isRestarted: boolean) => void) | undefined;
    /** Is called with the first line of its standard output whenever it accepts calls. */
    readonly onReady?: ((line: string) => void) | undefined;
    /** Further arguments of Node. */
    readonly nodeArguments?: readonly string[];
    /** Returns further arguments of the command, at each start of the process. */
    readonly runArguments?: () => readonly string[];
    /** Default: 3 restarts. */
    readonly restarts?: RestartLimit;
    /** Receives the message about each death. Default: writes it to standard error. */
    readonly report?: (message: string) => void;
}
/**
 * A command of Rolltape in a separate process, with its logs among those of this process. If it dies, it is restarted a few times.
 * It does not receive the terminal's Ctrl-C, and does not outlive this process.
 */
export declare class JobProcess {
    #private;
    constructor(options: JobProcessOptions);
    /**
     * Resolves when it accepts calls.
     *
     * @throws RolloutJobError `proxy_failed` if it ends before that
     */
    start(): Promise<void>;
    /** Stops the process. Returns how it ended; undefined if it did not run. */
    stop(): Promise<ChildEnd | undefined>;
}
