/** The commands that run each part of Rolltape that uses keys. With some options they also run others: see `Command`. */
const COMMANDS = {
  proxy: ["serve", "rollout"],
  gateway: ["gateway"],
  /** Tasks and batches of a rollout job. */
  rollout: ["rollout", "controller"],
  /** The server that gives tasks to workers on other machines. */
  controller: ["controller"],
  /** Agents. */
  worker: ["rollout", "worker"],
  /** What only `rolltape serve` does. */
  serve: ["serve"],
  job: ["rollout", "job"],
} as const;

/** What uses a key. */
export type Part = keyof typeof COMMANDS;

/** What a command may lack, so that a key has no effect although the command runs a part that uses it. */
export type Need =
  | "storage"
  | "trainer"
  | "worker processes"
  | "own worker processes"
  | "Python agent"
  | "choice of mode"
  | "subprocesses"
  | "running engines"
  | "running servers"
  | "one proxy";

export interface KeyUse {
  readonly usedBy: readonly Part[];
  readonly needs: readonly Need[];
}

/** Returns metadata that names what uses a key. Metadata of a section is that of its keys without metadata of their own. */
export function usedBy(parts: Part | readonly Part[], ...needs: readonly Need[]): KeyUse & Record<string, unknown> {
  return { usedBy: [parts].flat(), needs };
}

/** Returns the commands that use a key: `serve`, `rollout`, …. */
export function listCommands(parts: readonly Part[]): string[] {
  return [...new Set(parts.flatMap((part) => COMMANDS[part]))];
}
