import type { Role } from "./job.js";

/** How a process gets to its machine. */
export interface Launcher {
  /** The machine of a process. */
  node(role: Role, index: number): string;
  /** The command, run on this machine, that runs `command` on that one. */
  wrap(command: readonly string[], role: Role, node: string): readonly string[];
}

/** Everything on this machine. */
export const localLauncher: Launcher = {
  node: () => "127.0.0.1",
  wrap: (command) => command,
};
