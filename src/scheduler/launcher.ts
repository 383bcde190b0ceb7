import type { ProcessEnd } from "./process-end.js";
import type { Role } from "./roles.js";

/** Where a process runs. */
export interface Place {
  /** The machine's name. */
  readonly node: string;
  /** Address under which other machines reach it. */
  readonly address: string;
}

export interface ProcessPlan {
  readonly role: Role;
  readonly index: number;
  /** Placeholders are filled in, but `{port}`: only the machine itself knows which of its ports are free. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files that its standard output and error are written to. */
  readonly output: string;
  readonly errors: string;
}

export interface LaunchedProcess {
  readonly ended: Promise<ProcessEnd>;
  /** The value of `{port}`, when the process has started on its machine. */
  started(signal: AbortSignal): Promise<string>;
  /** Asks it to end, and makes it end after `seconds`. Resolves when it has. */
  stop(seconds: number): Promise<void>;
}

/** Starts processes on their machines. */
export interface Launcher {
  place(role: Role, index: number): Place;
  /** Each start of the same process has the same port, as long as that is free: others may know its address. */
  launch(plan: ProcessPlan): Promise<LaunchedProcess>;
}
