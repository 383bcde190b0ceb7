import { z } from "zod";
import { findMisspelled } from "./placeholders.js";
import { ROLES } from "./roles.js";
import { slurmSchema } from "./slurm/slurm-options.js";
/** Text with placeholders, which are filled in when the process starts. */
const placeholderText = z.string().superRefine((text, context) => {
    const found = findMisspelled(text);
    if (!found)
        return;
    const message = `unknown placeholder {${found.name}}; expected {${found.nearest}}`;
    context.addIssue({ code: "custom", message });
});
const ready = z.union([
    z.literal("started"),
    z.literal("line"),
    z.strictObject({
        url: placeholderText.describe("URL that returns 200 when the process is ready. Placeholders are filled in."),
    }),
], { error: "expected started, line or a map with a url" });
const roleSchema = z.strictObject({
    role: z.enum(ROLES),
    count: z.int().min(1).max(4096).default(1),
    command: z.array(placeholderText).min(1).describe("Program and arguments. Placeholders are filled in."),
    env: z.record(z.string(), placeholderText).default({}),
    ready: ready
        .default("started")
        .describe("`line`: the process prints one JSON line with its `url`, like `rolltape serve` and `rolltape gateway`."),
    ready_seconds: z.number().gt(0).max(86_400).default(300),
    restarts: z.int().min(0).default(3).describe("Maximum number of restarts of one process."),
});
/**
 * A job: its processes, and its folder for logs and addresses, which all machines share.
 *
 * Placeholders in commands, environments and URLs:
 *
 * - `{folder}`: the folder of the job.
 * - `{index}`: index of the process in its role, from 0.
 * - `{node}`: address at which other machines reach the process's machine.
 * - `{port}`: a free port on that machine.
 * - `{engine_urls}`: a JSON list.
 * - `{proxy_url}`: the proxy whose index is `{index}` modulo the number of proxies. It is on the same machine.
 * - `{gateway_url}`: the gateway.
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
    stop_seconds: z.number().min(0).max(3600).default(30).describe("Maximum seconds that a process may take to stop."),
    slurm: slurmSchema.prefault({}).describe("Used only if Slurm runs the job."),
});
/** Returns the roles of a job in the order of their start. */
export function sortRoles({ roles }) {
    return [...roles].sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
}
//# sourceMappingURL=job.js.map