import { exit } from "./process-guard.js";
/** Exit status of a command that a user stopped: 128 plus the number of SIGINT, as in shells. */
export const EXIT_INTERRUPTED = 130;
/**
 * Calls `stop` on the first SIGINT or SIGTERM. A second one ends the process immediately. Returns a function that
 * removes the listeners.
 */
export function onInterrupt(stop) {
    let interrupted = false;
    const listen = () => {
        if (interrupted)
            exit(EXIT_INTERRUPTED);
        interrupted = true;
        stop();
    };
    process.on("SIGINT", listen).on("SIGTERM", listen);
    return () => void process.off("SIGINT", listen).off("SIGTERM", listen);
}
//# sourceMappingURL=interrupt.js.map