/**
 * Why a job could not run.
 *
 * - `job_failed`: the controller failed, or the last process of a kind was lost.
 * - `job_stopped`: it was stopped from outside.
 * - `slurm_failed`: a command of Slurm refused.
 */
export type SchedulerErrorCode = "job_failed" | "job_stopped" | "slurm_failed";

export class SchedulerError extends Error {
  override readonly name = "SchedulerError";
  readonly code: SchedulerErrorCode;

  constructor(code: SchedulerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
