import type { LaunchedProcess } from "../../launcher.js";
import type { ProcessEnd } from "../../process-end.js";
import type { RunningProcess } from "../../running-process.js";
import type { StepFiles } from "./step-files.js";
export interface StepProcessOptions {
    /** The local srun process that runs the step. */
    readonly running: RunningProcess;
    readonly files: StepFiles;
    readonly life: string;
    /** Slurm's id of the job, or of the part of a heterogeneous job, that has the machine. */
    readonly jobId: string;
    /** File with srun's standard error. */
    readonly errors: string;
}
/** A process of the job on another machine, run as a Slurm step. */
export declare class StepProcess implements LaunchedProcess {
    #private;
    readonly ended: Promise<ProcessEnd>;
    constructor(options: StepProcessOptions);
    started(signal: AbortSignal): Promise<string>;
    stop(seconds: number): Promise<void>;
}
