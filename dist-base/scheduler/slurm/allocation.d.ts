import type { JobSpec } from "../job.js";
import type { Place } from "../launcher.js";
import type { Role } from "../roles.js";
import type { MachineGroup } from "./slurm-options.js";
/** The machines of one group of roles. */
export interface AllocatedGroup {
    /** Slurm's id of the job, or of the group's part of a heterogeneous job. */
    readonly jobId: string;
    readonly places: readonly Place[];
}
/** The machines that Slurm allocated to this job, read from the environment inside the job. */
export declare class Allocation {
    #private;
    constructor(groups: readonly MachineGroup[], allocated: readonly AllocatedGroup[]);
    static read(job: JobSpec, env: NodeJS.ProcessEnv): Promise<Allocation>;
    place(role: Role, index: number): Place;
    jobId(role: Role): string;
    /** Returns the index of a role's group; undefined if the job has only one group. */
    hetGroup(role: Role): number | undefined;
}
