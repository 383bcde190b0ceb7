import { type Command } from "commander";
import { type ConfigOptions } from "../config-options.js";
export interface RolloutOptions extends ConfigOptions {
    /** Import string of an agent or a workflow. */
    readonly agent?: string;
    /** A program to run as the agent. */
    readonly command?: readonly [string, ...string[]];
    readonly data: string;
    readonly out: string;
    readonly groupSize?: number;
    /** Maximum seconds of one episode. */
    readonly timeout?: number;
    readonly layout: "padded" | "packed" | "tree";
    /** Number of proxies. More than 1 run in separate processes. */
    readonly proxyWorkers?: number;
    /** Number of rollout worker processes. Undefined: `rollout.workers`, and without it agents run in this process. */
    readonly workers?: number;
    /** URL of a running proxy or gateway. */
    readonly proxy?: string;
    /** A program that trains on each batch. */
    readonly trainer?: readonly [string, ...string[]];
    /** `batch`: the trainer is run for each batch. `persistent`: it is one process, which receives every batch. */
    readonly trainerMode?: "batch" | "persistent";
    /** Seconds for which writing a batch is retried. */
    readonly writeWait?: number;
    /** Weight version at the start. */
    readonly fromVersion?: number;
    /** False: no transcript is written. */
    readonly transcripts?: boolean;
    /** Goes on with the job in `storage.directory`. */
    readonly resume?: boolean;
    /** Folder of a job whose processes a scheduler starts. */
    readonly jobFolder?: string;
    /** Number of its machines. */
    readonly nodes?: number;
    /** Options of sbatch. */
    readonly sbatchOption?: readonly string[];
    /** Program that serves an engine, with the placeholders of a job. */
    readonly engineCommand?: readonly [string, ...string[]];
    /** Number of engines. */
    readonly engines?: number;
}
/** The options that decide how a workflow is created. */
export type WorkflowOptions = {
    readonly [Name in "agent" | "command" | "groupSize" | "timeout"]?: RolloutOptions[Name] | undefined;
};
/** Options of `rolltape controller`. */
export interface ControllerOptions extends RolloutOptions {
    readonly proxy: string;
    readonly urlFile?: string;
}
/** Options of `rolltape worker`. */
export interface WorkerOptions extends ConfigOptions, Pick<RolloutOptions, "agent" | "command" | "proxy"> {
    /** URL of the controller, or a file that has it. */
    readonly controller: string;
    readonly name?: string;
}
/** Declares the arguments of `rolltape rollout`. */
export declare function withRolloutOptions(command: Command): Command;
/** Declares the arguments of `rolltape controller`: those of a job whose agents run elsewhere. */
export declare function withControllerOptions(command: Command): Command;
/** Declares the arguments of `rolltape worker`. */
export declare function withWorkerOptions(command: Command): Command;
