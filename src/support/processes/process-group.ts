import { GroupReaper } from "./group-reaper.js";

/** Groups to kill when this process exits, because signals of the terminal do not reach them. */
const living = new Set<number>();
/** Ends them if this process is killed. */
let reaper: GroupReaper | undefined;

/** Tracks a group, so that it does not outlive this process, however this process ends. Its leader was started with `detached`. */
export function trackGroup(leader: number): void {
  if (living.size === 0) process.on("exit", killAll);
  living.add(leader);
  if (reaper?.isAlive) reaper.add(leader);
  else {
    reaper = new GroupReaper();
    for (const group of living) reaper.add(group);
  }
}

/** Stops tracking a group. Returns true if it was tracked until now. */
export function forgetGroup(leader: number): boolean {
  const known = living.delete(leader);
  if (known) reaper?.remove(leader);
  if (living.size === 0) process.off("exit", killAll);
  return known;
}

/**
 * Kills every process of a tracked group, including those that its leader left behind. A second call does nothing,
 * because the id of a group that has ended may belong to another group.
 */
export function killGroup(leader: number): void {
  if (forgetGroup(leader)) signalGroup(leader, "SIGKILL");
}

function killAll(): void {
  for (const leader of living) signalGroup(leader, "SIGKILL");
}

/** Signals every process of a group. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // All processes of the group have ended.
  }
}
