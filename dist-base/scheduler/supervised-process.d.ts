import type { RoleSpec } from "./job.js";
import type { Launcher } from "./launcher.js";
import { type Values } from "./placeholders.js";
import type { ProcessEnd } from "./process-end.js";
import type { Role } from "./roles.js";
/** `lost`: it ended, and has no restarts left. `done`: it ended with status 0. */
export type ProcessState = "starting" | "ready" | "restarting" | "lost" | "done" | "stopped";
/** The record of a process in `processes.json` of the job's folder. */
export interface ProcessRecord {
    readonly role: Role;
    readonly index: number;
    readonly node: string;
    state: ProcessState;
    url?: string | undefined;
    restarts: number;
    /** How it last ended. */
    ended?: string | undefined;
}
export interface SupervisedOptions {
    readonly spec: RoleSpec;
    readonly index: number;
    readonly folder: string;
    readonly launcher: Launcher;
    readonly stopSeconds: number;
    /** Returns the values of placeholders. It is called whenever the process starts. */
    readonly values: () => Values;
    readonly onChange: () => void;
}
/** One process of a job, which is restarted within its limit. */
export declare class SupervisedProcess {
    #private;
    readonly record: ProcessRecord;
    /** Resolves when the process has ended and will not be restarted. */
    readonly over: Promise<ProcessEnd>;
    /** Resolves when the process is ready for the first time, or has ended before that. */
    readonly settled: Promise<void>;
    constructor(options: SupervisedOptions);
    /** A sentence with the log of the process and its last lines. */
    get logEnd(): string;
    stop(): Promise<void>;
}
