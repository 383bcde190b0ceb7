/** The parts of Rolltape that use keys, and which commands run them. With some options, a command runs further parts: see `Command`. */
const COMMANDS = {
  proxy: ["serve", "rollout"],
  gateway: ["gateway"],
  /** Tasks and batches of a rollout job. */
  rollout: ["rollout", "controller"],
  /** The server that gives tasks to workers on other machines. */
  controller: ["controller"],
  /** Agents. */
  worker: ["rollout", "worker"],
  /** Starting the workers of `rolltape serve`. */
  serve: ["serve"],
  /** Starting the rollout workers of `rolltape rollout`. */
  ownWorkers: ["rollout"],
  job: ["rollout", "job"],
} as const;

/** A part of Rolltape that uses keys. */
export type Part = keyof typeof COMMANDS;

/** A condition without which a key has no effect, although the command runs a part that uses it. */
export type Need =
  | "storage"
  | "trainer"
  | "worker processes"
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

/** Returns metadata of a key: the parts that use it, and its needs. Keys without such metadata inherit that of their section. */
export function usedBy(parts: Part | readonly Part[], ...needs: readonly Need[]): KeyUse & Record<string, unknown> {
  return { usedBy: [parts].flat(), needs };
}

/** Returns the commands that use a key: `serve`, `rollout`, …. */
export function listCommands(parts: readonly Part[]): string[] {
  return [...new Set(parts.flatMap((part) => COMMANDS[part]))];
}
