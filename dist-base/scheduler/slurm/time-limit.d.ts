/** Returns the time limit in sbatch options, in seconds; undefined if they have none or it cannot be parsed. */
export declare function parseTimeLimit(options: readonly string[]): number | undefined;
