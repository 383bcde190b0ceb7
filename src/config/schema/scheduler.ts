import { z } from "zod";

const RAY_REFUSED = "agent workflows run on local and slurm only, not on ray";

/** What starts the workers. */
export const schedulerSchema = z.strictObject({
  type: z
    .enum(["local", "slurm"], { error: ({ input }) => (input === "ray" ? RAY_REFUSED : undefined) })
    .default("local")
    .describe("Where `rolltape job` starts its processes: on this machine or through Slurm."),
});
