import type { AgentSource } from "./agent-source.js";
import type { Environment } from "./task-environment.js";
/** A task for a worker process, which runs one task at a time. */
export type WorkerTask = {
    readonly type: "load";
    readonly agent: AgentSource;
} | {
    readonly type: "run";
    readonly agent: AgentSource;
    readonly data: unknown;
    readonly environment: Environment;
};
/** A task with its id, which is repeated in the worker's messages about it. */
export type SentTask = WorkerTask & {
    readonly id: number;
};
/** An error in the form in which it is sent to another process. */
export interface SentError {
    readonly name: string;
    readonly message: string;
    readonly stack: string | undefined;
    readonly code: string | undefined;
}
/**
 * A message of a worker process: that it has started the task, or the result. `reusable`: the agent left no timer,
 * request or process behind that could disturb the next task.
 */
export type WorkerMessage = {
    readonly id: number;
} & ({
    readonly type: "started";
} | {
    readonly type: "done";
    readonly value: unknown;
    readonly reusable: boolean;
} | {
    readonly type: "failed";
    readonly error: SentError;
    readonly reusable: boolean;
});
/** Converts a thrown value so that it can be sent. Agents may throw anything, even values whose properties throw. */
export declare function encodeError(error: unknown): SentError;
/** Recreates an error that was sent, with its stack in the other process. */
export declare function decodeError({ name, message, stack, code }: SentError): Error;
