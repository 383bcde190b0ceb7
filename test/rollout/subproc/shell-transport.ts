import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { onTestFinished, vi } from "vitest";
import type { AgentTransport, LoadedAgent, ProcessMessage } from "../../../src/rollout/subproc/agent-process.js";
import { SubprocError } from "../../../src/rollout/subproc/errors.js";

/** A shell in place of an agent's process. The test sends its messages. */
export class ShellProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Messages that it was sent. */
  readonly received: Record<string, unknown>[] = [];
  emit: (message: ProcessMessage | undefined) => void = () => undefined;
  /** Methods that were called on a handle of it. */
  readonly refs: string[] = [];
  readonly handle = { ref: () => this.refs.push("ref"), unref: () => this.refs.push("unref") };

  constructor(program: string) {
    this.child = spawn(program, { detached: true, stdio: "pipe" });
    this.child.stdin.on("error", () => undefined);
  }

  /** Runs a command of the shell, for example `exit 3`. */
  command(text: string): void {
    this.child.stdin.write(`${text}\n`);
  }

  ready(agent: Partial<LoadedAgent> = {}): void {
    this.emit({ type: "ready", agent: { isAsync: false, canResume: false, ...agent } });
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}

/** Starts shells in place of agents' processes. */
export class ShellTransport implements AgentTransport {
  readonly load: object | undefined;
  readonly started: ShellProcess[] = [];
  program = "sh";
  readonly #byChild = new Map<unknown, ShellProcess>();

  constructor(load?: object) {
    this.load = load;
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());
  }

  spawn(): ChildProcessWithoutNullStreams {
    const shell = new ShellProcess(this.program);
    this.started.push(shell);
    this.#byChild.set(shell.child, shell);
    return shell.child;
  }

  listen(child: unknown, listener: ShellProcess["emit"]): void {
    this.#of(child).emit = listener;
  }

  send(child: unknown, message: object): void {
    this.#of(child).received.push(message as Record<string, unknown>);
  }

  printed(child: unknown): readonly Readable[] {
    return [this.#of(child).child.stdout];
  }

  handles(child: unknown): readonly unknown[] {
    return [this.#of(child).handle, null];
  }

  notStarted(cause: Error): SubprocError {
    return new SubprocError("program_not_started", `not started: ${cause.message}`, { cause });
  }

  /** Returns a process by the order of their start. */
  at(index: number): ShellProcess {
    const shell = this.started[index];
    if (!shell) throw new Error(`process ${index} was not started`);
    return shell;
  }

  #of(child: unknown): ShellProcess {
    const shell = this.#byChild.get(child);
    if (!shell) throw new Error("an unknown process");
    return shell;
  }
}
