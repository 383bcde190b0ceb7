import { spawn } from "node:child_process";
import { describeEnd } from "../../../src/support/processes/child-end.js";
import { ChildGroup } from "../../../src/support/processes/child-group.js";
import { OutputTail } from "../../../src/support/processes/output-tail.js";
import type { InstalledProgram } from "./cache.js";
import type { Workspace } from "./workspace.js";

/** How a program is started for one task. */
export interface ProgramCommand {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface ProgramEnd {
  /** `status 0`, another status, or a signal. */
  readonly end: string;
  /** The last lines of its standard output and standard error. */
  readonly output: string;
}

/** Time limit of a program in milliseconds. A program that runs longer is killed. */
const LIMIT_MS = 270_000;
const TAIL_BYTES = 8192;

/**
 * An HTTP proxy that does not exist, so that the programs cannot reach the internet: their runs must not depend on their requests for
 * updates and statistics. Loopback needs no proxy.
 */
export const NO_INTERNET = {
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
};

/** Runs a program to its end, without the environment of this process. */
export async function runProgram(
  { file, path }: InstalledProgram,
  { args, env }: ProgramCommand,
  { home, project, temporary }: Workspace,
): Promise<ProgramEnd> {
  const child = spawn(file, args, {
    cwd: project,
    detached: true,
    env: { PATH: path, HOME: home, TMPDIR: temporary, LANG: "C.UTF-8", TERM: "dumb", ...NO_INTERNET, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const group = new ChildGroup(child);
  const [output, errors] = [child.stdout, child.stderr].map((stream) => new OutputTail(stream, TAIL_BYTES));
  const timer = setTimeout(() => group.kill(), LIMIT_MS);
  const end = describeEnd(await group.ended);
  clearTimeout(timer);
  return { end, output: `standard output:\n${output?.text}\nstandard error:\n${errors?.text}` };
}
