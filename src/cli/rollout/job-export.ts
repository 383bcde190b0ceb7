/** Export options that are the same for every job. */
export const JOB_EXPORT = { on_mismatch: "split", shared_turns: "first" } as const;
