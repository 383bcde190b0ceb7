/**
 * The transcript of a job: `<out>.jsonl`, one JSON line each for the job, every episode, every batch and every training
 * step, in the order in which they happened. `<out>.jsonl.index` has a line for each line of the transcript: where it
 * is, and what a list of episodes shows ({@link IndexLine}). Times are in seconds since the Unix epoch, durations in
 * seconds. A field that is absent was not recorded.
 */
export const TRANSCRIPT_FORMAT = 1;
//# sourceMappingURL=format.js.map