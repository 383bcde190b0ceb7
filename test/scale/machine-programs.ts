import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Machine } from "../helpers/machines.js";

/** Pause before a program that failed is started again. */
const RESTART_MS = 1000;
const LOG_LENGTH = 20_000;

export interface ProgramOptions {
  /** It is started when the program before it has printed a line. */
  readonly printsLine?: boolean;
  /** Called when it ends with status 0. It is started again at any other status, as an orchestrator does. */
  readonly onSuccess?: () => void;
}

/** The programs of one machine. */
export class MachinePrograms {
  readonly #machine: Machine;
  #env: NodeJS.ProcessEnv;
  /** Counts the times that the machine was turned off. Programs of an earlier time are not started again. */
  #life = 0;
  #log = "";

  constructor(machine: Machine, env: NodeJS.ProcessEnv) {
    this.#machine = machine;
    this.#env = env;
  }

  /** The end of what its programs wrote to standard error. */
  get log(): string {
    return this.#log;
  }

  /** Adds variables to the environment of programs that start from now on. */
  add(environment: NodeJS.ProcessEnv): void {
    this.#env = { ...this.#env, ...environment };
  }

  /** Notes that the programs were killed. */
  turnedOff(): void {
    this.#life++;
  }

  async start(command: readonly string[], options: ProgramOptions = {}): Promise<void> {
    const child = this.#spawn(command);
    const life = this.#life;
    child.once("close", (status) => {
      if (life !== this.#life) return;
      if (status === 0) return options.onSuccess?.();
      this.#log += `\n${command.slice(0, 4).join(" ")} ended with status ${status}\n`;
      setTimeout(() => life === this.#life && void this.start(command, options), RESTART_MS).unref();
    });
    if (options.printsLine) await readLine(child);
    child.stdout?.resume();
  }

  /** Runs a command until it succeeds. */
  async run(command: readonly string[]): Promise<void> {
    for (const life = this.#life; life === this.#life; await sleep(RESTART_MS)) {
      const child = this.#spawn(command);
      child.stdout?.resume();
      const status = await new Promise((resolve) => child.once("close", resolve));
      if (status === 0) return;
    }
  }

  #spawn(command: readonly string[]): ChildProcess {
    const [program = "", ...args] = [...this.#machine.prefix, ...command];
    const child = spawn(program, args, { env: this.#env, stdio: ["ignore", "pipe", "pipe"] });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#log = (this.#log + text).slice(-LOG_LENGTH);
    });
    return child;
  }
}

/** Resolves when a program has printed a line, or has ended. */
async function readLine(child: ChildProcess): Promise<void> {
  for await (const _ of createInterface(child.stdout as NodeJS.ReadableStream)) return;
}
