import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export interface StartProcess {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files that its standard output and error are written to; what they held is lost. */
  readonly output: string;
  readonly errors: string;
}

/** Why a process is no more, for people. */
export type ProcessEnd = { readonly code: number; readonly text: string };

/** A process and all that it starts: they are one process group. */
export class RunningProcess {
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  #over = false;

  constructor({ command, env, output, errors }: StartProcess) {
    const [file = "", ...args] = command;
    const [out, err] = [openSync(output, "w"), openSync(errors, "a")];
    this.#child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ["ignore", out, err], detached: true });
    closeSync(out);
    closeSync(err);
    this.ended = this.#waitEnd(file);
  }

  /** Asks it to end, and makes it end after `seconds`. Resolves when it has. */
  async stop(seconds: number): Promise<void> {
    this.#signal("SIGTERM");
    const waited = new AbortController();
    const kill = sleep(seconds * 1000, undefined, { signal: waited.signal }).then(
      () => this.#signal("SIGKILL"),
      () => undefined,
    );
    await this.ended;
    waited.abort();
    await kill;
    // What it started and left behind.
    this.#signal("SIGKILL", true);
  }

  async #waitEnd(file: string): Promise<ProcessEnd> {
    try {
      const [code, signal] = (await once(this.#child, "exit")) as [number | null, NodeJS.Signals | null];
      return { code: code ?? 1, text: signal === null ? `ended with status ${code}` : `was ended by ${signal}` };
    } catch (error) {
      return { code: 1, text: `${file} did not start: ${error instanceof Error ? error.message : String(error)}` };
    } finally {
      this.#over = true;
    }
  }

  #signal(signal: NodeJS.Signals, evenOver = false): void {
    const { pid } = this.#child;
    if (pid === undefined || (this.#over && !evenOver)) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // Nobody is left in its group.
    }
  }
}
