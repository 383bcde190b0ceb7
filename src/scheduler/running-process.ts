import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { forgetGroup, signalGroup, trackGroup } from "../support/processes/process-group.js";
import { makeEnd } from "./escalation.js";

export interface StartProcess {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files that its standard output and error are written to; what they held is lost. */
  readonly output: string;
  readonly errors: string;
}

/** Why a process is no more, for people. */
export type ProcessEnd = { readonly code: number; readonly text: string };

/** A process and all that it starts: they are one process group, which does not outlive this process. */
export class RunningProcess {
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  #over = false;

  constructor({ command, env, output, errors }: StartProcess) {
    const [file = "", ...args] = command;
    const files = [openSync(output, "w")];
    try {
      files.push(openSync(errors, "a"));
      const options = { env: { ...process.env, ...env }, detached: true };
      this.#child = spawn(file, args, { ...options, stdio: ["ignore", ...files] });
    } finally {
      files.forEach(closeSync);
    }
    this.ended = endOf(this.#child, file);
    const { pid } = this.#child;
    if (pid !== undefined) trackGroup(pid);
    void this.ended.then(() => {
      this.#over = true;
      if (pid !== undefined) forgetGroup(pid);
    });
  }

  /** Asks it to end, and makes it end after `seconds`. Resolves when it has. */
  async stop(seconds: number): Promise<void> {
    await makeEnd(this.ended, [
      { act: () => this.signal("SIGTERM"), seconds },
      { act: () => this.signal("SIGKILL"), seconds: 0 },
    ]);
    this.killRest();
  }

  /** Signals its group, while it runs. */
  signal(signal: NodeJS.Signals): void {
    if (!this.#over) this.#signalGroup(signal);
  }

  /** Ends what it started and left behind. */
  killRest(): void {
    this.#signalGroup("SIGKILL");
  }

  #signalGroup(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid !== undefined) signalGroup(pid, signal);
  }
}

/** Waits for the end of a child process. */
export async function endOf(child: ChildProcess, file: string): Promise<ProcessEnd> {
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return { code: code ?? 1, text: signal === null ? `ended with status ${code}` : `was ended by ${signal}` };
  } catch (error) {
    return { code: 1, text: `${file} did not start: ${error instanceof Error ? error.message : String(error)}` };
  }
}
