import { z } from "zod";
import { ROLES } from "../roles.js";

/** Options that the scheduler sets itself, with the key of the job that controls each. */
const RESERVED: Readonly<Record<string, string>> = {
  "--nodes": "slurm.groups[].nodes",
  "-N": "slurm.groups[].nodes",
  "--nodelist": "slurm.groups[].roles",
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
  .regex(/^-[^\0\n]+$/, "expected an option, which begins with -")
  .refine((text) => findReservedKey(text) === undefined, {
    error: ({ input }) => `expected an option that the scheduler does not set; use ${findReservedKey(String(input))}`,
  });

const options = z.array(option).default([]);

const groupSchema = z.strictObject({
  roles: z.array(z.enum(ROLES)).min(1),
  nodes: z
    .int()
    .min(1)
    .max(4096)
    .describe("Number of machines in the group. Process i of a role runs on machine i modulo this number."),
  options: options.describe("Additional sbatch options for these machines."),
});

/** How Slurm runs a job. */
export const slurmSchema = z.strictObject({
  options: options.describe("sbatch options for all machines, one per entry: `--account=x`, `--time=04:00:00`, …"),
  groups: z
    .array(groupSchema)
    .min(1)
    .nullable()
    .default(null)
    .describe("Groups of machines with their roles. Several groups form a heterogeneous job. Null: one machine."),
  step_options: z
    .partialRecord(z.enum(ROLES), options)
    .default({})
    .describe("srun options for the processes of a role, such as `--exact` and `--gres=gpu:1` for engines."),
  requeue: z.boolean().default(true).describe("Restart the job if it loses its first machine."),
  pending_seconds: z
    .number()
    .gt(0)
    .max(2_147_483)
    .nullable()
    .default(null)
    .describe("Maximum seconds that the job waits for machines before it is cancelled. Null: no limit."),
  poll_seconds: z.number().min(0.05).max(3600).default(5).describe("Seconds between checks of the job's state."),
});

export type MachineGroup = z.output<typeof groupSchema>;

function findReservedKey(text: string): string | undefined {
  const name = /^(--[a-z-]+|-[A-Za-z])/.exec(text)?.[0] ?? "";
  return Object.hasOwn(RESERVED, name) ? RESERVED[name] : undefined;
}
