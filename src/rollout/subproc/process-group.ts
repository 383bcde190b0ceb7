/** Groups that are to die with this process: a signal of the terminal does not reach them. */
const living = new Set<number>();

/** Kills the group when this process exits. Its leader was started with `detached`. */
export function trackGroup(leader: number): void {
  if (living.size === 0) process.on("exit", killAll);
  living.add(leader);
}

/** Kills every process of the group, those that its leader left behind too. Idempotent. */
export function killGroup(leader: number): void {
  if (!living.delete(leader)) return;
  if (living.size === 0) process.off("exit", killAll);
  signalGroup(leader);
}

function killAll(): void {
  for (const leader of living) signalGroup(leader);
}

function signalGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}
