import { readClassName } from "../../rollout/class-name.js";
import type { Rejection } from "../../rollout/rejection.js";
import { SubprocError } from "../../rollout/subproc/errors.js";
import { readStandardError } from "../../rollout/subproc/standard-error.js";
import { makeInert } from "../../support/inert-text.js";
import { removeTail } from "../../support/processes/output-tail.js";

/** A rejected episode, with its task. */
export interface RejectedTaskEpisode {
  readonly taskId: string;
  readonly sessionId: string | undefined;
  readonly reason: Rejection;
}

/** Episodes that were rejected for the same reason. */
export interface ReasonGroup {
  count: number;
  /** The first of them. */
  readonly example: RejectedTaskEpisode;
}

/** Maximum number of groups, because messages with random parts would make one group per episode. Each code has one in any case. */
const MAX_GROUPS = 100;
const MAX_SHOWN = 8;
const MAX_FRAMES = 3;
const MAX_LINES = 8;
const MAX_LINE_LENGTH = 200;
const PYTHON_FRAME = /^ {2}File "(.*)", line (\d+), in (.*)$/gm;

/**
 * Groups rejected episodes by code, class of the error, its place in the agent, and last line: of the standard error if the agent's
 * process failed and wrote any, else of the message. Numbers, addresses and ids in the line do not count.
 */
export class RejectionReasons {
  readonly #groups = new Map<string, ReasonGroup>();
  /** Number of rejected episodes over the limit of groups. */
  #others = 0;

  add(rejected: RejectedTaskEpisode): void {
    const key = createKey(rejected);
    const group = this.#groups.get(key);
    if (group) group.count++;
    else if (this.#groups.size < MAX_GROUPS || !this.#hasCode(rejected.reason.code))
      this.#groups.set(key, { count: 1, example: rejected });
    else this.#others++;
  }

  get size(): number {
    return this.#groups.size;
  }

  /**
   * Returns lines for the summary: the most frequent reasons, and at least one of each code, each with its count, first task and place
   * in the agent. The most frequent comes first.
   */
  describe(): string[] {
    const sorted = [...this.#groups.values()].sort((a, b) => b.count - a.count);
    const codes = new Set<string>();
    const isFirst = ({ example: { reason } }: ReasonGroup) => codes.size < codes.add(reason.code).size;
    const firsts = new Set(sorted.filter(isFirst));
    const free = Math.max(0, MAX_SHOWN - firsts.size);
    const others = sorted.filter((group) => !firsts.has(group));
    const left = new Set(others.slice(free));
    const lines = sorted
      .filter((group) => !left.has(group))
      .flatMap(({ count, example }) => [
        `${count} × ${example.reason.code}: ${firstLine(example)}`,
        ...describePlace(example).map((place) => `  ${place}`),
      ]);
    const rest = [...left].reduce((sum, { count }) => sum + count, this.#others);
    return rest > 0 ? [...lines, `${rest} × other reasons`] : lines;
  }

  #hasCode(code: string): boolean {
    return [...this.#groups.values()].some(({ example }) => example.reason.code === code);
  }
}

function createKey({ sessionId, reason }: RejectedTaskEpisode): string {
  // The output of an agent before it threw is not the reason, and often has a time in each line.
  const text = (reason.cause instanceof SubprocError && readStandardError(reason.cause)) || reason.message;
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  const common = sessionId === undefined ? line : line.replaceAll(sessionId, "its session");
  const [place = ""] = reason.code === "agent_error" ? readFrames(reason.cause) : [];
  return [reason.code, readClass(reason), place, mask(common)].join("\n");
}

/** Hides parts of a message that differ from one episode to the next: addresses, ids and numbers. */
function mask(line: string): string {
  return line
    .replace(/\b0x[0-9a-f]+/gi, "#")
    .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, "#")
    .replace(/\b(?=[a-f]*\d)[0-9a-f]{8,}\b/gi, "#")
    .replace(/\d+(?:[.,:]\d+)*/g, "#");
}

/** Returns the first line of the message, without the standard error that follows it. */
function firstLine({ reason }: RejectedTaskEpisode): string {
  const errors = readStandardError(reason.cause);
  const isProcess = reason.cause instanceof SubprocError;
  const message = isProcess ? removeTail(reason.message, errors) : reason.message;
  const [first = ""] = message.split("\n");
  const name = readClass(reason);
  return shorten(name === "" ? first : `${name}: ${first}`);
}

/** Returns the class of an agent's error; empty for `Error` itself, which says nothing. */
function readClass({ code, cause }: Rejection): string {
  if (code !== "agent_error" || cause instanceof SubprocError) return "";
  const name = readClassName(cause);
  return name === "Error" ? "" : name;
}

/**
 * Returns where it happened: the task, and the last lines of the agent's standard error or the first frames of its
 * stack.
 */
function describePlace({ taskId, reason }: RejectedTaskEpisode): string[] {
  const frames = reason.code === "agent_error" ? readFrames(reason.cause) : [];
  const errors = reason.cause instanceof SubprocError ? lastLines(readStandardError(reason.cause)) : [];
  return [`in task ${taskId}`, ...frames, ...errors.map((line) => `| ${shorten(line)}`)];
}

/** Returns the first frames of the agent's own code, if there are any. Those of SDKs come before and say little. */
function readFrames(cause: unknown): string[] {
  // Rolltape threw a SubprocError, not the agent: its stack does not show the agent.
  if (!(cause instanceof Error) || cause instanceof SubprocError || typeof cause.stack !== "string") return [];
  const frames = cause.stack.split("\n").flatMap((line) => (/^\s+at /.test(line) ? [line.trim()] : []));
  // Python's traceback ends with the frame that raised the exception.
  for (const [, file, line, name] of cause.stack.matchAll(PYTHON_FRAME)) {
    frames.unshift(`at ${name} (${file}:${line})`);
  }
  const own = frames.filter((frame) => !/node_modules|node:|\/site-packages\/|\/lib\/python3/.test(frame));
  return (own.length > 0 ? own : frames).slice(0, MAX_FRAMES);
}

function lastLines(text: string): string[] {
  return text === "" ? [] : text.split("\n").slice(-MAX_LINES);
}

function shorten(text: string): string {
  const line = makeInert(text.trimEnd());
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line;
}
