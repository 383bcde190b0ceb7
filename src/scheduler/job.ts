import { z } from "zod";
import { misspelled } from "./placeholders.js";
import { ROLES } from "./roles.js";
import { slurmSchema } from "./slurm/slurm-options.js";

/** Text with placeholders. */
const filledIn = z.string().superRefine((text, context) => {
  const found = misspelled(text);
  if (!found) return;
  const message = `unknown placeholder {${found.name}}; expected {${found.nearest}}`;
  context.addIssue({ code: "custom", message });
});

const ready = z.union(
  [
    z.literal("started"),
    z.literal("line"),
    z.strictObject({ url: filledIn.describe("Answers 200 when the process is ready. Placeholders are filled in.") }),
  ],
  { error: "expected started, line or a map with a url" },
);

const roleSchema = z.strictObject({
  role: z.enum(ROLES),
  count: z.int().min(1).max(4096).default(1),
  command: z.array(filledIn).min(1).describe("Program and arguments. Placeholders are filled in."),
  env: z.record(z.string(), filledIn).default({}),
  ready: ready
    .default("started")
    .describe("`line`: it prints one JSON line with its `url`, as `rolltape serve` and `rolltape gateway` do."),
  ready_seconds: z.number().gt(0).max(86_400).default(300),
  restarts: z.int().min(0).default(3).describe("How often one process of it is started again when it ends."),
});

/**
 * A job: which processes run, and the folder, shared by all its machines, in which its logs and addresses are.
 *
 * Placeholders in commands, environments and URLs: `{folder}`, `{index}` (of the process in its role, from 0), `{node}`
 * (the address at which the others reach its machine), `{port}` (a free one there), `{engine_urls}` (a list), `{proxy_url}`
 * (of the proxy with the same index, modulo their number: it is on the same machine), `{gateway_url}`.
 */
export const jobSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, "expected at most 64 letters, digits, dots, dashes and underscores")
    .default("rolltape"),
  folder: z.string().regex(/^\//, "expected an absolute path"),
  roles: z
    .array(roleSchema)
    .refine((roles) => new Set(roles.map(({ role }) => role)).size === roles.length, "expected each role once")
    .refine((roles) => roles.some(({ role }) => role === "controller"), "expected a controller"),
  stop_seconds: z.number().min(0).max(3600).default(30).describe("How long a process may take to stop."),
  slurm: slurmSchema.prefault({}).describe("Read where Slurm runs the job."),
});

export type JobSpec = z.output<typeof jobSchema>;
export type JobInput = z.input<typeof jobSchema>;
export type RoleSpec = z.output<typeof roleSchema>;

/** The roles of a job in the order of their start. */
export function inOrder({ roles }: JobSpec): RoleSpec[] {
  return [...roles].sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
}
