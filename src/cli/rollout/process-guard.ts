/** Ends the process, whatever agents find in its place. */
export const exit: typeof process.exit = process.exit.bind(process);

/**
 * Keeps agents that run in this process from ending the job: one that calls `process.exit` gets an error, a promise that it
 * rejects and nobody awaits is only told. An error that nobody caught is told too, and leaves this process in a state that nobody
 * knows: `stop` is called with it. Returns a function that ends the guard.
 */
export function guardProcess(stop: (error: Error) => void): () => void {
  const onRejection = (reason: unknown) => tell("a promise was rejected that nobody awaits", reason);
  const onException = (error: unknown) => {
    tell("an error was thrown that nobody caught", error);
    stop(error instanceof Error ? error : new Error(String(error)));
  };
  process.on("unhandledRejection", onRejection).on("uncaughtException", onException);
  process.exit = refuseExit;
  return () => {
    process.off("unhandledRejection", onRejection).off("uncaughtException", onException);
    process.exit = exit;
  };
}

function refuseExit(code?: unknown): never {
  const why = "agents run in the job's own process; those that end theirs need rollout.agent.mode=subproc";
  const error = new Error(`process.exit(${code === undefined ? "" : JSON.stringify(code)}) was called: ${why}`);
  // The stack begins with the caller, so that an import that fails names the agent's file and not this one.
  Error.captureStackTrace(error, refuseExit);
  throw error;
}

function tell(what: string, reason: unknown): void {
  const detail = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  process.stderr.write(`rolltape: ${what}, by an agent most likely: ${detail}\n`);
}
