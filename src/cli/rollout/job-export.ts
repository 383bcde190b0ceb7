/** Options of a job's exports that it does not take from its configuration or its arguments. */
export const JOB_EXPORT = { on_mismatch: "split", shared_turns: "first" } as const;
