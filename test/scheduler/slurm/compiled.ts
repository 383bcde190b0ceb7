/** The compiled scheduler. Its processes start faster than from the sources. */
export const { runSlurmJob } = (await import(
  new URL("../../../dist/scheduler/slurm/run.js", import.meta.url).href
)) as typeof import("../../../src/scheduler/slurm/run.js");
