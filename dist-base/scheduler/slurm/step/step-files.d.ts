import { z } from "zod";
import type { Role } from "../../roles.js";
/** The process that a machine must start. */
declare const planSchema: z.ZodObject<{
    life: z.ZodString;
    command: z.ZodArray<z.ZodString>;
    env: z.ZodRecord<z.ZodString, z.ZodString>;
    port: z.ZodInt;
    status: z.ZodString;
}, z.core.$strip>;
declare const statusSchema: z.ZodDiscriminatedUnion<[z.ZodObject<{
    event: z.ZodLiteral<"started">;
    life: z.ZodString;
    step: z.ZodString;
    port: z.ZodInt;
    host: z.ZodString;
}, z.core.$strip>, z.ZodObject<{
    event: z.ZodLiteral<"ended">;
    life: z.ZodString;
    code: z.ZodInt;
    text: z.ZodString;
}, z.core.$strip>], "event">;
export type StepPlan = z.output<typeof planSchema>;
export type StepStatus = z.output<typeof statusSchema>;
export type StepStarted = Extract<StepStatus, {
    event: "started";
}>;
export type StepEnded = Extract<StepStatus, {
    event: "ended";
}>;
/**
 * The files of one process in the job's shared folder: the plan for its machine, and the status that the machine
 * reports.
 *
 * The status file is created before the process starts and is only appended to. A network file system shows added
 * content when a file is opened again, but may hide a file for a while that did not exist at an earlier look.
 */
export declare class StepFiles {
    #private;
    readonly plan: string;
    constructor(folder: string, role: Role, index: number);
    prepare(plan: Omit<StepPlan, "status">): void;
    started(life: string): StepStarted | undefined;
    ended(life: string): StepEnded | undefined;
}
export declare function readPlan(file: string): StepPlan;
export declare function report({ status }: StepPlan, line: StepStatus): void;
export {};
