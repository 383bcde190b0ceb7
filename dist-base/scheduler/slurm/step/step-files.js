import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
/** The process that a machine must start. */
const planSchema = z.object({
    /** Id of this start. Reports of earlier starts are ignored. */
    life: z.string(),
    command: z.array(z.string()).min(1),
    env: z.record(z.string(), z.string()),
    /** The port of an earlier start; 0: any port. */
    port: z.int(),
    status: z.string(),
});
const statusSchema = z.discriminatedUnion("event", [
    z.object({ event: z.literal("started"), life: z.string(), step: z.string(), port: z.int(), host: z.string() }),
    z.object({ event: z.literal("ended"), life: z.string(), code: z.int(), text: z.string() }),
]);
/**
 * The files of one process in the job's shared folder: the plan for its machine, and the status that the machine
 * reports.
 *
 * The status file is created before the process starts and is only appended to. A network file system shows added
 * content when a file is opened again, but may hide a file for a while that did not exist at an earlier look.
 */
export class StepFiles {
    plan;
    #status;
    constructor(folder, role, index) {
        const steps = join(folder, "steps");
        mkdirSync(steps, { recursive: true });
        this.plan = join(steps, `${role}-${index}.plan.json`);
        this.#status = join(steps, `${role}-${index}.status`);
    }
    prepare(plan) {
        writeFileSync(this.#status, "", { flag: "a" });
        // The environment may contain keys, so only the owner may read the file.
        writeFileSync(this.plan, JSON.stringify({ ...plan, status: this.#status }), { mode: 0o600 });
    }
    started(life) {
        return this.#readAll(life).find((status) => status.event === "started");
    }
    ended(life) {
        return this.#readAll(life).find((status) => status.event === "ended");
    }
    #readAll(life) {
        return readLines(this.#status)
            .flatMap((line) => readStatus(line) ?? [])
            .filter((status) => status.life === life);
    }
}
/** Returns the complete lines of a file; none if it cannot be read now. */
function readLines(file) {
    try {
        return readFileSync(file, "utf8").split("\n").slice(0, -1);
    }
    catch {
        return [];
    }
}
function readStatus(line) {
    try {
        return statusSchema.parse(JSON.parse(line));
    }
    catch {
        return undefined;
    }
}
export function readPlan(file) {
    return planSchema.parse(JSON.parse(readFileSync(file, "utf8")));
}
export function report({ status }, line) {
    appendFileSync(status, `${JSON.stringify(line)}\n`);
}
//# sourceMappingURL=step-files.js.map