import { spawn } from "node:child_process";
import { onAbort } from "../../support/async/on-abort.js";
import { untilAborted } from "../../support/async/until-aborted.js";
import { type ChildEnd, describeEnd } from "../../support/processes/child-end.js";
import { ChildGroup } from "../../support/processes/child-group.js";
import { forwardLines } from "../../support/processes/forward-lines.js";
import { OutputTail } from "../../support/processes/output-tail.js";
import { SubprocError } from "./errors.js";
import { RewardLine } from "./reward-line.js";
import { addStandardError, processError } from "./standard-error.js";
import { createBareEnvironment, type Environment } from "./task-environment.js";

const TAIL_BYTES = 8192;

export interface AgentProgram {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** Its working directory. */
  readonly directory: string;
  /** Variables added to this process's environment. */
  readonly environment: Environment;
  /** Content of its standard input. */
  readonly input: string;
}

/**
 * Runs a program to its end and returns its reward (see {@link RewardLine}).
 *
 * Processes that it leaves running in its process group are killed when it ends. The whole group is killed when the
 * signal aborts. Its standard error is forwarded to this process's standard error, and so is the end of its standard
 * output if it fails.
 *
 * @throws SubprocError `program_not_started`, `program_failed`, `invalid_program_output`, or the signal's reason
 */
export async function runProgram(program: AgentProgram, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted();
  const [file, ...args] = program.command;
  const child = spawn(file, args, {
    detached: true,
    cwd: program.directory,
    env: { ...createBareEnvironment(), ...program.environment },
  });
  const group = new ChildGroup(child);
  forwardLines(child.stderr);
  const errors = new OutputTail(child.stderr, TAIL_BYTES);
  // Standard output carries the reward, so it is shown only if the program fails.
  const output = new OutputTail(child.stdout, TAIL_BYTES);
  const reward = new RewardLine(child.stdout);
  // A program need not read its data: ignore a broken pipe.
  child.stdin.on("error", () => {});
  child.stdin.end(program.input);
  const end = await waitForEnd(group, signal).catch((error: unknown) => {
    show(output);
    throw addStandardError(error, errors.text);
  });
  if (end.how === "not_started") {
    const message = `${file} could not be started: ${describeEnd(end)}`;
    throw new SubprocError("program_not_started", message, { cause: end.error });
  }
  if (end.how !== "exit" || end.code !== 0) {
    show(output);
    throw processError("program_failed", `${file} ended with ${describeEnd(end)}.`, errors.text);
  }
  const { value, otherNumbers } = reward.end();
  if (value === undefined) {
    show(output);
    const expected = 'a JSON number or object, or any line {"reward": …}';
    const sentence = `${file} printed no reward: the last line of its standard output must be ${expected}.`;
    throw processError("invalid_program_output", sentence, errors.text);
  }
  if (otherNumbers > 0) warn(file);
  return value;
}

function show({ text }: OutputTail): void {
  if (text !== "") process.stderr.write(`${text}\n`);
}

/** The text is the same for every episode, so that repeated warnings can be counted. */
function warn(file: string): void {
  const advice = 'Print the reward as {"reward": …} to make it unambiguous.';
  process.emitWarning(`${file} printed other numbers before its reward, the last line. ${advice}`, "AgentWarning");
}

/**
 * Resolves when the program has exited and its output was read. If the signal aborts before its exit, kills it and
 * rejects.
 */
async function waitForEnd(group: ChildGroup, signal: AbortSignal): Promise<ChildEnd> {
  using _killing = onAbort(signal, () => group.kill());
  await untilAborted(group.exited, signal);
  return await group.ended;
}
