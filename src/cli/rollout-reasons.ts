import { className } from "../rollout/class-name.js";
import type { Rejection } from "../rollout/rejection.js";
import { SubprocError } from "../rollout/subproc/error.js";
import { standardErrorOf, withoutTail } from "../rollout/subproc/standard-error.js";
import { inertText } from "./inert-text.js";

/** A rejected episode of a task. */
export interface RejectedOf {
  readonly taskId: string;
  readonly sessionId: string | undefined;
  readonly reason: Rejection;
}

/** Episodes that were rejected for the same reason. */
export interface ReasonGroup {
  count: number;
  /** The first of them. */
  readonly example: RejectedOf;
}

/** Groups that are kept apart. Messages with random parts would make one for each episode. */
const MAX_GROUPS = 100;
const MAX_SHOWN = 8;
const MAX_FRAMES = 3;
const MAX_LINES = 8;
const LONGEST_LINE = 200;

/** Rejected episodes by code and last line: of the standard error of the agent's process, else of the message. */
export class RejectionReasons {
  readonly #groups = new Map<string, ReasonGroup>();
  /** Rejected episodes in no group. */
  #others = 0;

  add(rejected: RejectedOf): void {
    const key = keyOf(rejected);
    const group = this.#groups.get(key);
    if (group) group.count++;
    else if (this.#groups.size < MAX_GROUPS) this.#groups.set(key, { count: 1, example: rejected });
    else this.#others++;
  }

  get size(): number {
    return this.#groups.size;
  }

  /** Returns lines: each reason with its count, its first task and the place in it; the most frequent come first. */
  describe(): string[] {
    const sorted = [...this.#groups.values()].sort((a, b) => b.count - a.count);
    const lines = sorted
      .slice(0, MAX_SHOWN)
      .flatMap(({ count, example }) => [
        `${count} × ${example.reason.code}: ${headline(example)}`,
        ...describePlace(example).map((place) => `  ${place}`),
      ]);
    const rest = sorted.slice(MAX_SHOWN).reduce((sum, { count }) => sum + count, this.#others);
    return rest > 0 ? [...lines, `${rest} × other reasons`] : lines;
  }
}

function keyOf({ sessionId, reason }: RejectedOf): string {
  const text = standardErrorOf(reason.cause) || reason.message;
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  const common = sessionId === undefined ? line : line.replaceAll(sessionId, "its session");
  return `${reason.code} ${classOf(reason)} ${common}`;
}

/** The first line of the message, without the standard error that follows. */
function headline({ reason }: RejectedOf): string {
  const errors = standardErrorOf(reason.cause);
  const isProcess = reason.cause instanceof SubprocError;
  const message = isProcess ? withoutTail(reason.message, errors) : reason.message;
  const [first = ""] = message.split("\n");
  const name = classOf(reason);
  return shortened(name === "" ? first : `${name}: ${first}`);
}

/** The class of an agent's error, where it says more than that it is one. */
function classOf({ code, cause }: Rejection): string {
  if (code !== "agent_error" || cause instanceof SubprocError) return "";
  const name = className(cause);
  return name === "Error" ? "" : name;
}

/** Where it happened: the task, and of the agent the last lines of its standard error or the first ones of its stack. */
function describePlace({ taskId, reason }: RejectedOf): string[] {
  const frames = reason.code === "agent_error" ? framesOf(reason.cause) : [];
  const said = reason.cause instanceof SubprocError ? lastLines(standardErrorOf(reason.cause)) : [];
  return [`in task ${taskId}`, ...frames, ...said.map((line) => `| ${shortened(line)}`)];
}

/** Of the agent's own code, where any is: an SDK's frames come first and say little. */
function framesOf(cause: unknown): string[] {
  // It was thrown by what runs the agent, not by the agent.
  if (!(cause instanceof Error) || cause instanceof SubprocError || typeof cause.stack !== "string") return [];
  const frames = cause.stack.split("\n").flatMap((line) => (/^\s+at /.test(line) ? [line.trim()] : []));
  const own = frames.filter((frame) => !/node_modules|node:/.test(frame));
  return (own.length > 0 ? own : frames).slice(0, MAX_FRAMES);
}

function lastLines(text: string): string[] {
  return text === "" ? [] : text.split("\n").slice(-MAX_LINES);
}

function shortened(text: string): string {
  const line = inertText(text.trimEnd());
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}
