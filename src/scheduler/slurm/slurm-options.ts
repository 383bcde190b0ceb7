import { z } from "zod";
import { ROLES } from "../roles.js";

/** Options that the scheduler gives itself, and where a job says the same. */
const RESERVED: Readonly<Record<string, string>> = {
  "--nodes": "slurm.groups[].nodes",
  "-N": "slurm.groups[].nodes",
  "--nodelist": "nothing: processes are placed by their role",
  "--requeue": "slurm.requeue",
  "--no-requeue": "slurm.requeue",
  "--job-name": "name",
  "-J": "name",
  "--output": "folder",
  "-o": "folder",
  "--error": "folder",
  "-e": "folder",
  "--array": "count of the roles",
  "-a": "count of the roles",
};

const option = z
  .string()
  .regex(/^-[^\0\n]+$/, "is no option: expected text that begins with -")
  .refine((text) => reservedBy(text) === undefined, {
    error: ({ input }) => `is set by ${reservedBy(String(input))}`,
  });

const options = z.array(option).default([]);

const groupSchema = z.strictObject({
  roles: z.array(z.enum(ROLES)).min(1),
  nodes: z
    .int()
    .min(1)
    .max(4096)
    .describe("Machines of the group. Process i of a role runs on machine i, modulo that."),
  options: options.describe("Further options of sbatch for these machines."),
});

/** How Slurm runs a job. */
export const slurmSchema = z.strictObject({
  options: options.describe("Options of sbatch for all machines: `--account=x`, `--time=04:00:00`, …, one entry each."),
  groups: z
    .array(groupSchema)
    .min(1)
    .nullable()
    .default(null)
    .describe("Machines by roles; several groups are a heterogeneous job. Null: one machine for everything."),
  step_options: z
    .partialRecord(z.enum(ROLES), options)
    .default({})
    .describe("Options of srun for the processes of a role: `--exact` and `--gres=gpu:1` for engines, say."),
  requeue: z.boolean().default(true).describe("Whether the job starts anew when it loses its first machine."),
  pending_seconds: z
    .number()
    .gt(0)
    .max(2_147_483)
    .nullable()
    .default(null)
    .describe("How long the job may wait for machines; then it is cancelled. Null: as long as it takes."),
  poll_seconds: z.number().min(0.05).max(3600).default(5).describe("How often Slurm is asked how the job is."),
});

export type SlurmOptions = z.output<typeof slurmSchema>;
export type MachineGroup = z.output<typeof groupSchema>;

function reservedBy(text: string): string | undefined {
  const name = /^(--[a-z-]+|-[A-Za-z])/.exec(text)?.[0] ?? "";
  return Object.hasOwn(RESERVED, name) ? RESERVED[name] : undefined;
}
