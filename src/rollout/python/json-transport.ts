import { type ChildProcess, spawn } from "node:child_process";
import { z } from "zod";
import { makeInertLines } from "../../support/inert-text.js";
import { readLines } from "../../support/processes/read-lines.js";
import { Rejection } from "../rejection.js";
import type { AgentTransport, ProcessMessage } from "../subproc/agent-process.js";
import { SubprocError } from "../subproc/errors.js";
import { WorkflowError } from "../workflow-error.js";
import type { PythonAgentFile } from "./agent-file.js";
import { createPythonEnvironment, WORKER_ARGUMENTS } from "./find-python.js";

const LONGEST_LINE_BYTES = 1 << 26;

export interface JsonTransportOptions {
  /** The interpreter. */
  readonly python: string;
  readonly agent: PythonAgentFile;
  /** Keyword arguments of the constructor, if the agent is a class. */
  readonly keywordArguments: Readonly<Record<string, unknown>>;
}

/** Creates the transport of Python processes, which load one agent. Each message is a line of JSON. */
export function createJsonTransport({ python, agent, keywordArguments }: JsonTransportOptions): AgentTransport {
  const { file, name = null } = agent;
  return {
    load: { type: "load", file, name, arguments: keywordArguments },
    spawn: () => spawn(python, WORKER_ARGUMENTS, { detached: true, stdio: "pipe", env: createPythonEnvironment() }),
    listen({ stdin, stdout }, listener) {
      // A write fails if the process has ended. Its exit is handled.
      stdin?.on("error", () => {});
      if (stdout) readLines(stdout, LONGEST_LINE_BYTES, (line) => listener(line === undefined ? line : parse(line)));
    },
    send: ({ stdin }: ChildProcess, message) => void stdin?.write(`${JSON.stringify(message)}\n`),
    printed: () => [],
    handles: (child) => [child, child.stdin, child.stdout],
    notStarted(cause) {
      const advice = "Install Python 3.10 or newer, or set rollout.agent.python.";
      const message = `${python} could not be started: ${cause.message}. ${advice}`;
      return new SubprocError("program_not_started", message, { cause });
    },
  };
}

const id = z.int();
/** False if the process cannot run another task. */
const reusable = z.boolean();

const processMessage = z.discriminatedUnion("type", [
  z
    .object({ type: z.literal("ready"), is_async: z.boolean(), can_resume: z.boolean(), python: z.string() })
    .transform(({ type, is_async, can_resume }) => ({ type, agent: { isAsync: is_async, canResume: can_resume } })),
  z
    .object({
      type: z.literal("load_failed"),
      error: z.object({
        code: z.enum(["import_failed", "export_not_found", "invalid_workflow", "construction_failed"]),
        message: z.string(),
        traceback: z.string(),
      }),
    })
    .transform(({ type, error: { code, message, traceback } }) => {
      const text = traceback === "" ? message : `The agent could not be loaded: ${message}\n${traceback}`;
      return { type, error: new WorkflowError(code, makeInertLines(text)) };
    }),
  z.object({ type: z.literal(["started", "cancelling"]), id }),
  z.object({ type: z.literal("done"), id, value: z.union([z.number(), z.record(z.string(), z.number())]), reusable }),
  /** The agent returned something other than a reward. */
  z.object({ type: z.literal("invalid"), id, received: z.string(), reusable }).transform(({ received, ...rest }) => {
    const expected = "a finite number, or a dict of completion ids to finite numbers";
    const message = `The agent must return ${expected}; received ${makeInertLines(received)}.`;
    return { ...rest, type: "failed" as const, error: new Rejection("invalid_reward", message) };
  }),
  z
    .object({
      type: z.literal("failed"),
      id,
      error: z.object({ name: z.string(), message: z.string(), traceback: z.string() }),
      reusable,
    })
    .transform(({ error: { name, message, traceback }, ...rest }) => {
      const error = Object.assign(new Error(makeInertLines(message)), { name: makeInertLines(name) });
      error.stack = makeInertLines(traceback);
      return { ...rest, error };
    }),
]);

/** Parses a line of a process. Returns undefined if it is not a message. */
function parse(line: string): ProcessMessage | undefined {
  try {
    return processMessage.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
