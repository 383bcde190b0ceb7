/** The original `process.exit`. {@link guardProcess} replaces it for agents. */
export const exit = process.exit.bind(process);
/**
 * Keeps agents that run in this process from ending the job.
 *
 * - `process.exit` throws an error.
 * - An unhandled rejection is only reported.
 * - An uncaught error is reported, and `stop` is called with it, because the state of the process is unknown
 *   afterwards.
 *
 * @returns a function that ends the guard
 */
export function guardProcess(stop) {
    const onRejection = (reason) => report("unhandled promise rejection", reason);
    const onException = (error) => {
        report("uncaught error", error);
        stop(error instanceof Error ? error : new Error(String(error)));
    };
    process.on("unhandledRejection", onRejection).on("uncaughtException", onException);
    process.exit = refuseExit;
    return () => {
        process.off("unhandledRejection", onRejection).off("uncaughtException", onException);
        process.exit = exit;
    };
}
function refuseExit(code) {
    const why = "agents run in the job's own process; set rollout.agent.mode=subproc for agents that end their process";
    const error = new Error(`process.exit(${code === undefined ? "" : JSON.stringify(code)}) was called: ${why}`);
    // The stack must begin with the caller, so that the error of a failed import names the agent's file and not this one.
    Error.captureStackTrace(error, refuseExit);
    throw error;
}
function report(event, reason) {
    const detail = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
    process.stderr.write(`rolltape: ${event}, most likely by an agent: ${detail}\n`);
}
//# sourceMappingURL=process-guard.js.map