import { z } from "zod";
import type { Environment } from "../subproc/task-environment.js";
/** The messages between this process and a Python worker, one line of JSON each. */
/** The first message to a worker. */
export interface LoadMessage {
    readonly type: "load";
    readonly file: string;
    readonly name: string | null;
    /** Keyword arguments of the constructor, if the agent is a class. */
    readonly arguments: Readonly<Record<string, unknown>>;
}
/** A task for a worker. */
export interface PythonTask {
    readonly data: unknown;
    readonly context: {
        readonly base_url: string;
        readonly api_key: string;
        readonly task_id: string | null;
        readonly group_id: string | null;
    };
    /** Set while the task runs. Only for workers that run one task at a time. */
    readonly environment?: Environment | undefined;
}
export type ParentMessage = LoadMessage | ({
    readonly type: "run";
    readonly id: number;
} & PythonTask) | {
    readonly type: "cancel";
    readonly id: number;
};
declare const workerMessage: z.ZodDiscriminatedUnion<[z.ZodObject<{
    type: z.ZodLiteral<"ready">;
    is_async: z.ZodBoolean;
    python: z.ZodString;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"load_failed">;
    error: z.ZodObject<{
        code: z.ZodEnum<{
            construction_failed: "construction_failed";
            export_not_found: "export_not_found";
            import_failed: "import_failed";
            invalid_workflow: "invalid_workflow";
        }>;
        message: z.ZodString;
        traceback: z.ZodString;
    }, z.core.$strip>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"started">;
    id: z.ZodInt;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"cancelling">;
    id: z.ZodInt;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"done">;
    id: z.ZodInt;
    value: z.ZodUnion<readonly [z.ZodNumber, z.ZodRecord<z.ZodString, z.ZodNumber>]>;
    reusable: z.ZodBoolean;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"invalid">;
    id: z.ZodInt;
    received: z.ZodString;
    reusable: z.ZodBoolean;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"failed">;
    id: z.ZodInt;
    error: z.ZodObject<{
        name: z.ZodString;
        message: z.ZodString;
        traceback: z.ZodString;
    }, z.core.$strip>;
    reusable: z.ZodBoolean;
}, z.core.$strip>], "type">;
export type PythonMessage = z.infer<typeof workerMessage>;
/** The end of a task. */
export type TaskEnd = Extract<PythonMessage, {
    readonly type: "done" | "invalid" | "failed";
}>;
export type LoadFailure = Extract<PythonMessage, {
    readonly type: "load_failed";
}>["error"];
/** Parses a line of a worker. Returns undefined if it is not a message. */
export declare function parseMessage(line: string): PythonMessage | undefined;
export {};
