import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readRegularFileSync } from "../../../support/regular-file.js";
import type { JobRole } from "../../roles.js";

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

export type StepPlan = z.output<typeof planSchema>;
export type StepStatus = z.output<typeof statusSchema>;
export type StepStarted = Extract<StepStatus, { event: "started" }>;
export type StepEnded = Extract<StepStatus, { event: "ended" }>;

/**
 * The files of one process in the job's shared folder: the plan for its machine, and the status that the machine
 * reports.
 *
 * The status file is created before the process starts and is only appended to. A network file system shows added
 * content when a file is opened again, but may hide a file for a while that did not exist at an earlier look.
 */
export class StepFiles {
  readonly plan: string;
  readonly #status: string;

  constructor(folder: string, role: JobRole, index: number) {
    const steps = join(folder, "steps");
    mkdirSync(steps, { recursive: true });
    this.plan = join(steps, `${role}-${index}.plan.json`);
    this.#status = join(steps, `${role}-${index}.status`);
  }

  prepare(plan: Omit<StepPlan, "status">): void {
    writeFileSync(this.#status, "", { flag: "a" });
    // The environment may contain keys, so only the owner may read the file.
    writeFileSync(this.plan, JSON.stringify({ ...plan, status: this.#status }), { mode: 0o600 });
  }

  started(life: string): StepStarted | undefined {
    return this.#readAll(life).find((status) => status.event === "started");
  }

  ended(life: string): StepEnded | undefined {
    return this.#readAll(life).find((status) => status.event === "ended");
  }

  #readAll(life: string): StepStatus[] {
    return readLines(this.#status)
      .flatMap((line) => readStatus(line) ?? [])
      .filter((status) => status.life === life);
  }
}

/** Returns the complete lines of a file; none if it cannot be read now. */
function readLines(file: string): string[] {
  try {
    return readRegularFileSync(file).split("\n").slice(0, -1);
  } catch {
    return [];
  }
}

function readStatus(line: string): StepStatus | undefined {
  try {
    return statusSchema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

export function readPlan(file: string): StepPlan {
  return planSchema.parse(JSON.parse(readRegularFileSync(file)));
}

export function reportStatus({ status }: StepPlan, line: StepStatus): void {
  appendFileSync(status, `${JSON.stringify(line)}\n`);
}
