import type { Rejection } from "../rollout/rejection.js";
import { SubprocError } from "../rollout/subproc/error.js";

/** One rejection of several for the same reason. */
export interface RejectionExample {
  readonly taskId: string;
  readonly reason: Rejection;
}

const MAX_FRAMES = 3;

/** Where it happened: the task, and for an agent that threw, the first lines of its stack. */
export function describePlace({ taskId, reason }: RejectionExample): string[] {
  return [`in task ${taskId}`, ...(reason.code === "agent_error" ? framesOf(reason.cause) : [])];
}

/** Of the agent's own code, where any is: an SDK's frames come first and say little. */
function framesOf(cause: unknown): string[] {
  // It was thrown by what runs the agent, not by the agent.
  if (!(cause instanceof Error) || cause instanceof SubprocError || typeof cause.stack !== "string") return [];
  const frames = cause.stack.split("\n").flatMap((line) => (/^\s+at /.test(line) ? [line.trim()] : []));
  const own = frames.filter((frame) => !/node_modules|node:/.test(frame));
  return (own.length > 0 ? own : frames).slice(0, MAX_FRAMES);
}
