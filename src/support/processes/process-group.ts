/** Groups to kill when this process exits: a signal of the terminal does not reach them. */
const living = new Set<number>();

/** Kills the group when this process exits. Its leader was started with `detached`. */
export function trackGroup(leader: number): void {
  if (living.size === 0) process.on("exit", killAll);
  living.add(leader);
}

/** Leaves the group alone when this process exits. Returns true if it was tracked until now. */
export function forgetGroup(leader: number): boolean {
  const known = living.delete(leader);
  if (living.size === 0) process.off("exit", killAll);
  return known;
}

/**
 * Kills every process of a tracked group, also those that its leader left behind. Idempotent: once nothing is left of a
 * group, its number may belong to another one.
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
    // All of them have ended.
  }
}
