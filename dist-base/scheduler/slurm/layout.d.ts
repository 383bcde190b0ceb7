import type { JobSpec } from "../job.js";
import type { Role } from "../roles.js";
import type { MachineGroup } from "./slurm-options.js";
/**
 * Returns the groups of machines of a job.
 *
 * @throws {@link SchedulerError} `job_invalid` if a role is in no group or in several, or if a rollout worker would
 * have no proxy on its machine
 */
export declare function listGroups(job: JobSpec): readonly MachineGroup[];
/** Returns the index of a role's group. */
export declare function findGroupIndex(groups: readonly MachineGroup[], role: Role): number;
