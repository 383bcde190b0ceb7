import { spawn } from "node:child_process";
import { closeSync, constants } from "node:fs";
import { ChildGroup } from "../support/processes/child-group.js";
import { makeEnd } from "../support/processes/escalation.js";
import { openRegularFileSync } from "../support/regular-file.js";
import { type ProcessEnd, toProcessEnd } from "./process-end.js";

const WRITE = constants.O_WRONLY | constants.O_CREAT;
const OVERWRITE = WRITE | constants.O_TRUNC;
const APPEND = WRITE | constants.O_APPEND;

export interface StartProcess {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** File for standard output. It is overwritten. */
  readonly output: string;
  /** File for standard error, which is appended. */
  readonly errors: string;
}

/** A process of a job on this machine, with its descendants. */
export class RunningProcess {
  readonly ended: Promise<ProcessEnd>;
  readonly #group: ChildGroup;

  constructor({ command, env, output, errors }: StartProcess) {
    const [file = "", ...args] = command;
    const files = [openRegularFileSync(output, OVERWRITE)];
    try {
      files.push(openRegularFileSync(errors, APPEND));
      const options = { env: { ...process.env, ...env }, detached: true };
      const child = spawn(file, args, { ...options, stdio: ["ignore", ...files] });
      this.#group = new ChildGroup(child, { keepRest: true });
    } finally {
      files.forEach(closeSync);
    }
    this.ended = this.#group.ended.then((end) => toProcessEnd(end, file));
  }

  /** Asks the process to end, and kills it after `seconds`. When it has ended, kills processes that it left running. */
  async stop(seconds: number): Promise<void> {
    await makeEnd(this.ended, [
      { act: () => this.signal("SIGTERM"), seconds },
      { act: () => this.signal("SIGKILL"), seconds: 0 },
    ]);
    this.#group.kill();
  }

  /** Signals the process and its descendants, if it still runs. */
  signal(signal: NodeJS.Signals): void {
    this.#group.signal(signal);
  }
}
