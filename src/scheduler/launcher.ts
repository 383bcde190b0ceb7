import type { ProcessEnd } from "./process-end.js";
import type { JobRole } from "./roles.js";

/** The machine of a process. */
export interface MachineAddress {
  /** The machine's name. */
  readonly node: string;
  /** Address under which other machines reach it. */
  readonly address: string;
}

export interface ProcessPlan {
  readonly role: JobRole;
  readonly index: number;
  /** All placeholders are filled in except `{port}`, because only the machine itself knows its free ports. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files that its standard output and error are written to. */
  readonly output: string;
  readonly errors: string;
}

export interface LaunchedProcess {
  readonly ended: Promise<ProcessEnd>;
  /** Resolves with the value of `{port}` when the process has started on its machine. */
  started(signal: AbortSignal): Promise<string>;
  /** Asks the process to end, and kills it after `seconds`. Resolves when it has ended. */
  stop(seconds: number): Promise<void>;
}

/** Starts processes on their machines. */
export interface Launcher {
  place(role: JobRole, index: number): MachineAddress;
  /** Starts a process. A restart uses the same port if it is free, because others may know the address. */
  launch(plan: ProcessPlan): Promise<LaunchedProcess>;
}
