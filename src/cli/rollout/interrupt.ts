import { exit } from "./process-guard.js";

/** Exit status of a command that a user stopped: 128 and the number of SIGINT, as shells have it. */
export const EXIT_INTERRUPTED = 130;

/**
 * Calls `stop` with the first SIGINT or SIGTERM; a second one ends the process at once. Answers what takes the listeners
 * away.
 */
export function onInterrupt(stop: () => void): () => void {
  let asked = false;
  const listen = () => {
    if (asked) exit(EXIT_INTERRUPTED);
    asked = true;
    stop();
  };
  process.on("SIGINT", listen).on("SIGTERM", listen);
  return () => void process.off("SIGINT", listen).off("SIGTERM", listen);
}
