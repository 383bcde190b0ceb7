import { z } from "zod";
const RAY_REFUSED = "expected local or slurm, got ray, because agent workflows do not run on Ray";
/** What starts the processes of a job. */
export const schedulerSchema = z.strictObject({
    type: z
        .enum(["local", "slurm"], { error: ({ input }) => (input === "ray" ? RAY_REFUSED : undefined) })
        .default("local")
        .describe("Where `rolltape job`, and `rolltape rollout --job-folder`, start their processes: on this machine or through Slurm."),
});
//# sourceMappingURL=scheduler.js.map