import type { ChildProcess } from "node:child_process";
import { type ChildEnd, watchEnd } from "./child-end.js";
import { GroupReaper } from "./group-reaper.js";

export interface ChildGroupOptions {
  /** Keeps processes that the child leaves running when it exits, until {@link ChildGroup.kill}. Default false. */
  readonly keepRest?: boolean;
}

/**
 * A child process and its descendants, as one process group that does not outlive this process.
 *
 * A Ctrl-C in the terminal does not reach the group. When the child exits, processes that it left running are killed.
 */
export class ChildGroup<Child extends ChildProcess = ChildProcess> {
  /** The leader of the group. */
  readonly child: Child;
  /** Resolves when the child exits or could not be started. */
  readonly exited: Promise<ChildEnd>;
  /** Resolves when the child has exited and its output was read. */
  readonly ended: Promise<ChildEnd>;
  readonly #keepRest: boolean;
  #over = false;

  /** @param child a process that was just spawned, with `detached` */
  constructor(child: Child, { keepRest = false }: ChildGroupOptions = {}) {
    this.child = child;
    this.#keepRest = keepRest;
    ({ exited: this.exited, ended: this.ended } = watchEnd(child));
    const { pid } = child;
    if (pid === undefined) return;
    trackGroup(pid);
    void this.exited.then(() => {
      this.#over = true;
      if (keepRest) forgetGroup(pid);
      else killGroup(pid);
    });
  }

  /** Signals every process of the group, if the child still runs. */
  signal(signal: NodeJS.Signals): void {
    if (!this.#over && this.child.pid !== undefined) signalGroup(this.child.pid, signal);
  }

  /** Kills every process of the group, including those that outlived the child. */
  kill(): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    if (this.#keepRest) signalGroup(pid, "SIGKILL");
    else killGroup(pid);
  }
}

/** Groups to kill when this process exits, because signals of the terminal do not reach them. */
const living = new Set<number>();
/** Ends them if this process is killed. */
let reaper: GroupReaper | undefined;

/** Tracks a group, so that it does not outlive this process, however this process ends. Its leader was started with `detached`. */
function trackGroup(leader: number): void {
  if (living.size === 0) process.on("exit", killAll);
  living.add(leader);
  if (reaper?.isAlive) reaper.add(leader);
  else {
    reaper = new GroupReaper();
    for (const group of living) reaper.add(group);
  }
}

/** Stops tracking a group. Returns true if it was tracked until now. */
function forgetGroup(leader: number): boolean {
  const known = living.delete(leader);
  if (known) reaper?.remove(leader);
  if (living.size === 0) process.off("exit", killAll);
  return known;
}

/**
 * Kills every process of a tracked group, including those that its leader left behind. A second call does nothing,
 * because the id of a group that has ended may belong to another group.
 */
function killGroup(leader: number): void {
  if (forgetGroup(leader)) signalGroup(leader, "SIGKILL");
}

function killAll(): void {
  for (const leader of living) signalGroup(leader, "SIGKILL");
}

/** Signals every process of a group. */
function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // All processes of the group have ended.
  }
}
