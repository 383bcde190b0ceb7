export type SlurmProgram = "sbatch" | "scancel" | "scontrol" | "squeue";
/**
 * Runs a program of Slurm and returns its standard output.
 *
 * @throws {@link SchedulerError} `slurm_missing`, or `slurm_failed` with the program's standard error
 */
export declare function slurm(program: SlurmProgram, args: readonly string[]): Promise<string>;
