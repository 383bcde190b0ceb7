import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** How a child process ended. */
export type ChildEnd =
  | { readonly how: "exit"; readonly code: number }
  | { readonly how: "signal"; readonly signal: NodeJS.Signals }
  | { readonly how: "not_started"; readonly error: Error };

export interface EndWatch {
  /** Resolves when the process exits or could not be started. */
  readonly exited: Promise<ChildEnd>;
  /** Resolves when the process has exited and its output was read. */
  readonly ended: Promise<ChildEnd>;
}

/** Observes the end of a process. Call it directly after the process is spawned, before its events are emitted. */
export function watchEnd(child: ChildProcess): EndWatch {
  let exit: (end: ChildEnd) => void = () => undefined;
  const exited = new Promise<ChildEnd>((resolve) => (exit = resolve));
  const ended = new Promise<ChildEnd>((resolve) => {
    child.on("error", (error) => {
      // If there is a pid, a signal or a message could not be sent, and the process goes on.
      if (child.pid !== undefined) return;
      const end = { how: "not_started", error } as const;
      exit(end);
      resolve(end);
    });
    child.once("exit", (code, signal) => {
      const end: ChildEnd = signal === null ? { how: "exit", code: code ?? 0 } : { how: "signal", signal };
      exit(end);
      resolve(outputRead(child).then(() => end));
    });
  });
  return { exited, ended };
}

/** Returns how a process ended, for people: `status 1`, the name of a signal, or why it could not be started. */
export function describeEnd(end: ChildEnd): string {
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
async function outputRead(child: ChildProcess): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    const closed = once(child, "close", { signal });
    await Promise.race([closed, sleep(LAST_OUTPUT_MS, undefined, { signal })]);
  } finally {
    waiting.abort();
  }
}
