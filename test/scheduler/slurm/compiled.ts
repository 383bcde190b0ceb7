/** The compiled scheduler: what it starts on the machines starts faster than from the sources. */
export const { runSlurmJob } = (await import(
  new URL("../../../dist/scheduler/slurm/run.js", import.meta.url).href
)) as typeof import("../../../src/scheduler/slurm/run.js");
