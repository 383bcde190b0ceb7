import { ProxyError } from "../../client/errors.js";
import { ProxyCalls } from "../../client/proxy-calls.js";
import { HttpTransport } from "../../client/transport.js";
import { backoffMilliseconds } from "../../support/async/backoff.js";
import { sleep } from "../../support/async/sleep.js";
import { LEASE_PATHS, leasesReply, lostReply, returnsReply, updatesReply, workerReply, } from "../lease/protocol.js";
import { RolloutWorkerError } from "./errors.js";
const PAUSES = { firstMilliseconds: 100, longestMilliseconds: 5_000 };
/** Pause before the address is looked up again, which asks nobody. */
const LOOKUP_MS = 200;
/** Time in which an answer must come, in addition to the time for which the call may wait. */
const ANSWER_SECONDS = 30;
const TOO_MANY = 429;
const SERVER_ERROR = 500;
/** A rollout worker's calls to its controller. Each is repeated until the controller answers or is given up. */
export class ControllerClient {
    #options;
    /** Since when the controller does not answer; undefined if it does. */
    #silentSince = performance.now();
    #isTroubled = false;
    constructor(options) {
        this.#options = options;
    }
    /** Registers the worker. Returns what it must know about the job. */
    register(workerId, name, signal) {
        return this.#call(LEASE_PATHS.workers, { worker_id: workerId, name }, workerReply, { signal });
    }
    /** Waits for tasks. A repeated call tells which leases the worker knows, because the answer to the first one may be lost. */
    lease(body, held, signal) {
        const repeated = () => ({ ...body, held: held.read() });
        return this.#call(LEASE_PATHS.leases, held.isTold ? repeated() : body, leasesReply, {
            signal,
            seconds: body.wait_seconds,
            repeated,
        });
    }
    /** Announces sessions, reports results and takes tasks. A repeated call tells which leases the worker knows. */
    update(body, held) {
        const repeated = () => ({ ...body, held: held.read() });
        return this.#call(LEASE_PATHS.updates, body, updatesReply, { repeated });
    }
    /** Prolongs leases. Returns those that are lost. */
    async heartbeat(workerId, leaseIds, signal) {
        const body = { worker_id: workerId, lease_ids: leaseIds };
        return (await this.#call(LEASE_PATHS.heartbeats, body, lostReply, { signal })).lost;
    }
    async giveBack(workerId, leaseIds, signal) {
        await this.#call(LEASE_PATHS.returns, { worker_id: workerId, lease_ids: leaseIds }, returnsReply, { signal });
    }
    async #call(path, body, reply, { signal, seconds = 0, repeated = () => body } = {}) {
        for (let earlier = 0;; earlier++) {
            signal?.throwIfAborted();
            await this.#waitForAddress(path, signal);
            try {
                const sent = earlier === 0 ? body : repeated();
                const answer = await this.#send(path, sent, reply, { signal, timeoutSeconds: seconds + ANSWER_SECONDS });
                this.#hear();
                return answer;
            }
            catch (error) {
                signal?.throwIfAborted();
                this.#assertWorthWaiting(path, error);
                await sleep(backoffMilliseconds(earlier, PAUSES) * (0.5 + Math.random()), signal);
            }
        }
    }
    async #send(path, body, reply, options) {
        const { locate, connections, adminKey } = this.#options;
        const url = await locate();
        if (url === undefined)
            throw new ProxyError("connection_failed", "The controller has removed its address.");
        const calls = new ProxyCalls(new HttpTransport(url, connections), adminKey);
        return calls.json({ path, body, idempotent: false, ...options }, reply);
    }
    async #waitForAddress(path, signal) {
        while ((await this.#options.locate()) === undefined) {
            this.#assertWorthWaiting(path, new ProxyError("connection_failed", "The controller's address is not known yet."));
            await sleep(LOOKUP_MS, signal);
        }
    }
    #hear() {
        this.#silentSince = undefined;
        if (this.#isTroubled)
            this.#options.onTrouble?.(undefined);
        this.#isTroubled = false;
    }
    /** @throws RolloutWorkerError if the call need not be repeated */
    #assertWorthWaiting(path, error) {
        if (!(error instanceof ProxyError))
            throw error;
        const { status = SERVER_ERROR, code } = error;
        if (code === "rollout_worker_not_found")
            throw error;
        const isAnswer = error.status !== undefined && code !== "invalid_reply";
        if (isAnswer && status < SERVER_ERROR && status !== TOO_MANY) {
            const message = `The controller refused ${path}: ${error.message}`;
            throw new RolloutWorkerError("controller_refused", message, { cause: error });
        }
        const now = performance.now();
        this.#silentSince ??= now;
        if (!this.#isTroubled)
            this.#options.onTrouble?.(error.message);
        this.#isTroubled = true;
        const { patienceSeconds } = this.#options;
        if (now - this.#silentSince < patienceSeconds * 1000)
            return;
        const message = `The controller did not answer for ${patienceSeconds} s (rollout.controller_wait_seconds): ${error.message}`;
        throw new RolloutWorkerError("controller_unreachable", message, { cause: error });
    }
}
//# sourceMappingURL=controller-client.js.map