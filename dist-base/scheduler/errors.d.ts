import { CodedError } from "../support/coded-error.js";
/**
 * Why a job could not run.
 *
 * - `job_invalid`: its description is invalid. The message lists each key at fault.
 * - `job_failed`: the controller failed, or all processes of a role were lost.
 * - `job_stopped`: it was stopped from outside.
 * - `job_unplaced`: Slurm refused the job, or had no machines for it in time.
 * - `slurm_missing`: a program of Slurm is not installed.
 * - `slurm_failed`: a command of Slurm failed.
 */
export type SchedulerErrorCode = "job_invalid" | "job_failed" | "job_stopped" | "job_unplaced" | "slurm_missing" | "slurm_failed";
export declare class SchedulerError extends CodedError<SchedulerErrorCode> {
    readonly name = "SchedulerError";
}
