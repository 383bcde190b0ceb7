import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
/** Observes the end of a process. Call it directly after the process is spawned, before its events are emitted. */
export function watchEnd(child) {
    let exit = () => undefined;
    const exited = new Promise((resolve) => (exit = resolve));
    const ended = new Promise((resolve) => {
        child.on("error", (error) => {
            // If there is a pid, a signal or a message could not be sent, and the process goes on.
            if (child.pid !== undefined)
                return;
            const end = { how: "not_started", error };
            exit(end);
            resolve(end);
        });
        child.once("exit", (code, signal) => {
            const end = signal === null ? { how: "exit", code: code ?? 0 } : { how: "signal", signal };
            exit(end);
            resolve(outputRead(child).then(() => end));
        });
    });
    return { exited, ended };
}
/** Returns how a process ended, for people: `status 1`, the name of a signal, or why it could not be started. */
export function describeEnd(end) {
    switch (end.how) {
        case "exit":
            return `status ${end.code}`;
        case "signal":
            return end.signal;
        case "not_started":
            return end.error.message;
    }
}
/** Limit of the wait for the last output of an exited process. A process that left its group may keep the pipe open. */
const LAST_OUTPUT_MS = 1000;
/**
 * Resolves when the output of a process that exits now was read. Call it in the listener of `exit`, because `close` may
 * be emitted directly afterwards.
 */
async function outputRead(child) {
    const waiting = new AbortController();
    const { signal } = waiting;
    try {
        const closed = once(child, "close", { signal });
        await Promise.race([closed, sleep(LAST_OUTPUT_MS, undefined, { signal })]);
    }
    finally {
        waiting.abort();
    }
}
//# sourceMappingURL=child-end.js.map