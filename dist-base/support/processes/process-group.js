/** Groups to kill when this process exits, because signals of the terminal do not reach them. */
const living = new Set();
/** Tracks a group, so that it is killed when this process exits. Its leader was started with `detached`. */
export function trackGroup(leader) {
    if (living.size === 0)
        process.on("exit", killAll);
    living.add(leader);
}
/** Stops tracking a group. Returns true if it was tracked until now. */
export function forgetGroup(leader) {
    const known = living.delete(leader);
    if (living.size === 0)
        process.off("exit", killAll);
    return known;
}
/**
 * Kills every process of a tracked group, including those that its leader left behind. A second call does nothing,
 * because the id of a group that has ended may belong to another group.
 */
export function killGroup(leader) {
    if (forgetGroup(leader))
        signalGroup(leader, "SIGKILL");
}
function killAll() {
    for (const leader of living)
        signalGroup(leader, "SIGKILL");
}
/** Signals every process of a group. */
export function signalGroup(leader, signal) {
    try {
        process.kill(-leader, signal);
    }
    catch {
        // All processes of the group have ended.
    }
}
//# sourceMappingURL=process-group.js.map