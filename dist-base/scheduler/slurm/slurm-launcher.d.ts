import type { JobSpec } from "../job.js";
import type { LaunchedProcess, Launcher, Place, ProcessPlan } from "../launcher.js";
import type { Role } from "../roles.js";
import type { Allocation } from "./allocation.js";
/** Runs each process as a step (`srun`) of the current Slurm job. */
export declare class SlurmLauncher implements Launcher {
    #private;
    constructor(job: JobSpec, allocation: Allocation);
    place(role: Role, index: number): Place;
    launch({ role, index, command, env, output, errors }: ProcessPlan): Promise<LaunchedProcess>;
}
