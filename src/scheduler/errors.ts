import { CodedError } from "../support/coded-error.js";
/**
 * Why a job could not run.
 *
 * - `job_invalid`: its description cannot be used; the message names each key.
 * - `job_failed`: the controller failed, or the last process of a kind was lost.
 * - `job_stopped`: it was stopped from outside.
 * - `job_unplaced`: Slurm has no machines for it, or had none in time.
 * - `slurm_missing`: a program of Slurm is not installed.
 * - `slurm_failed`: a command of Slurm refused.
 */
export type SchedulerErrorCode =
  | "job_invalid"
  | "job_failed"
  | "job_stopped"
  | "job_unplaced"
  | "slurm_missing"
  | "slurm_failed";

export class SchedulerError extends CodedError<SchedulerErrorCode> {
  override readonly name = "SchedulerError";
}
