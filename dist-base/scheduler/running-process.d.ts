import { type ProcessEnd } from "./process-end.js";
export interface StartProcess {
    readonly command: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    /** File for standard output. It is overwritten. */
    readonly output: string;
    /** File for standard error, which is appended. */
    readonly errors: string;
}
/** A process of a job on this machine, with its descendants. */
export declare class RunningProcess {
    #private;
    readonly ended: Promise<ProcessEnd>;
    constructor({ command, env, output, errors }: StartProcess);
    /** Asks the process to end, and kills it after `seconds`. When it has ended, kills processes that it left running. */
    stop(seconds: number): Promise<void>;
    /** Signals the process and its descendants, if it still runs. */
    signal(signal: NodeJS.Signals): void;
}
