import { z } from "zod";
import type { EpisodeTranscript } from "../../transcript/episode-transcript.js";
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
  /** The recorded episode, if the agent goes on with one that was cut. */
  readonly transcript?: EpisodeTranscript | undefined;
  /** Set while the task runs. Only for workers that run one task at a time. */
  readonly environment?: Environment | undefined;
}

export type ParentMessage =
  | LoadMessage
  | ({ readonly type: "run"; readonly id: number } & PythonTask)
  | { readonly type: "cancel"; readonly id: number };

const id = z.int();
/** False if the process cannot run another task. */
const reusable = z.boolean();

const workerMessage = z.discriminatedUnion("type", [
  /** The agent is loaded. */
  z.object({ type: z.literal("ready"), is_async: z.boolean(), can_resume: z.boolean(), python: z.string() }),
  z.object({
    type: z.literal("load_failed"),
    error: z.object({
      code: z.enum(["import_failed", "export_not_found", "invalid_workflow", "construction_failed"]),
      message: z.string(),
      traceback: z.string(),
    }),
  }),
  z.object({ type: z.literal("started"), id }),
  /** The task was cancelled and may still clean up. */
  z.object({ type: z.literal("cancelling"), id }),
  z.object({ type: z.literal("done"), id, value: z.union([z.number(), z.record(z.string(), z.number())]), reusable }),
  /** The agent returned no reward. */
  z.object({ type: z.literal("invalid"), id, received: z.string(), reusable }),
  z.object({
    type: z.literal("failed"),
    id,
    error: z.object({ name: z.string(), message: z.string(), traceback: z.string() }),
    reusable,
  }),
]);

export type PythonMessage = z.infer<typeof workerMessage>;
/** The end of a task. */
export type TaskEnd = Extract<PythonMessage, { readonly type: "done" | "invalid" | "failed" }>;
export type LoadFailure = Extract<PythonMessage, { readonly type: "load_failed" }>["error"];

/** Parses a line of a worker. Returns undefined if it is not a message. */
export function parseMessage(line: string): PythonMessage | undefined {
  try {
    return workerMessage.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
