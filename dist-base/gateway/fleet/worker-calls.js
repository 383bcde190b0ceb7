import { callWorker } from "../contact/call-worker.js";
import { workerRefusedError, workerSilentError } from "./failures.js";
/** Calls several workers at the same time, on behalf of one client. A worker that does not answer in time is marked `down`. */
export class WorkerCalls {
    #context;
    #headers;
    /** @param headers the client's key */
    constructor(context, headers) {
        this.#context = context;
        this.#headers = headers;
    }
    call(path, calls, milliseconds) {
        return Promise.all(calls.map(async ({ member, body }) => {
            const call = { path, headers: this.#headers, body };
            const reply = await callWorker(this.#context.upstream, member.worker, call, milliseconds);
            if (!reply)
                member.worker.state = "down";
            return { member, reply };
        }));
    }
}
export function isSuccess({ reply }) {
    return reply !== undefined && reply.status < 300;
}
/**
 * Returns the error of a failed call; undefined if all succeeded. A worker's error is preferred to a missing answer, because
 * it says more.
 *
 * @param otherWorkers sentence for the error message about the state of the other workers
 */
export function findFailure(outcomes, otherWorkers) {
    const failed = outcomes.filter((outcome) => !isSuccess(outcome));
    const first = failed.find(({ reply }) => reply !== undefined) ?? failed[0];
    if (!first)
        return undefined;
    const { member, reply } = first;
    return reply
        ? workerRefusedError(member.worker, reply, otherWorkers)
        : workerSilentError(member.worker, otherWorkers);
}
//# sourceMappingURL=worker-calls.js.map