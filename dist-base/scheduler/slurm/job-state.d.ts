/** The state of a job in Slurm, such as `PENDING` with a reason, `RUNNING`, or `FAILED`. */
export interface JobState {
    readonly state: string;
    readonly reason: string;
    /** The job's machines in Slurm's notation: `gpu[01-04,07]`. Empty while it waits. */
    readonly nodes: string;
}
export declare function hasEnded({ state }: JobState): boolean;
/** Returns true if Slurm will never find machines for the job. */
export declare function isHopeless({ state, reason }: JobState): boolean;
/**
 * Returns the state of a job; undefined if Slurm no longer knows it. Slurm forgets a job some minutes after its end.
 *
 * @throws {@link SchedulerError} `slurm_failed` if Slurm does not answer
 */
export declare function readJobState(id: string): Promise<JobState | undefined>;
