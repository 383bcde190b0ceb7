import { EngineError } from "../../engine.js";
import { isUnavailable } from "../wire/errors.js";
import { PauseHold } from "./pause-hold.js";
/** Pauses and resumes the servers of a pool, one request after another. */
export class PauseControl {
    /** Holds calls back while the servers are paused. */
    hold = new PauseHold();
    #pool;
    #last = Promise.resolve();
    constructor(pool) {
        this.#pool = pool;
    }
    /** @param urls the servers to pause; default: all. Calls to the other servers wait too. */
    pause(mode, urls) {
        return this.#inTurn(() => this.#pause(mode, urls));
    }
    resume(options = {}) {
        return this.#inTurn(() => this.#resume(options));
    }
    /** Pauses servers for a weight update. Whatever fails, calls stay held and the other servers stay paused. */
    pauseEach(mode, urls) {
        return this.#inTurn(async () => {
            this.hold.close(mode);
            this.#pool.suspendChecks();
            return this.#tryEach(urls, (server) => server.pause(mode));
        });
    }
    /** Resumes servers after a weight update. Calls stay held until {@link release}. */
    resumeEach(urls) {
        return this.#inTurn(() => this.#tryEach(urls, (server) => server.resume()));
    }
    /** Lets the held calls go on. */
    release() {
        return this.#inTurn(async () => {
            this.#pool.restartChecks();
            this.hold.open();
        });
    }
    async #tryEach(urls, task) {
        const failures = new Map();
        const servers = this.#pool.servers.filter(({ url }) => urls.includes(url));
        await Promise.all(servers.map(async (server) => {
            try {
                await task(server);
                this.#pool.reportReached(server.url);
            }
            catch (error) {
                if (!(error instanceof EngineError))
                    throw error;
                failures.set(server.url, error);
            }
        }));
        return failures;
    }
    /** Runs tasks one after another. If a resume overtook a pause, calls would be sent to paused servers. */
    #inTurn(task) {
        const done = this.#last.then(task);
        this.#last = done.catch(() => undefined);
        return done;
    }
    async #pause(mode, urls) {
        this.hold.close(mode);
        this.#pool.suspendChecks();
        try {
            await this.#onEvery(urls, (server) => server.pause(mode));
        }
        catch (error) {
            await this.#resume({ urls }).catch(() => undefined);
            throw error;
        }
    }
    async #resume({ urls, hold = false }) {
        try {
            await this.#onEvery(urls, (server) => server.resume());
        }
        finally {
            if (!hold) {
                this.#pool.restartChecks();
                this.hold.open();
            }
        }
    }
    /** Runs a task on each server. Rejects with the first failure after all servers have answered. */
    async #onEvery(urls, task) {
        const servers = this.#pool.servers.filter(({ url }) => urls?.includes(url) ?? true);
        const outcomes = await Promise.allSettled(servers.map(task));
        const draining = new Set(this.#pool.list().flatMap(({ url, state }) => (state === "draining" ? [url] : [])));
        outcomes.forEach((outcome, index) => {
            const url = servers[index]?.url ?? "";
            if (outcome.status === "fulfilled")
                return this.#pool.reportReached(url);
            if (draining.has(url) && isUnavailable(outcome.reason))
                return;
            throw addUrl(url, outcome.reason);
        });
    }
}
function addUrl(url, error) {
    return error instanceof EngineError
        ? new EngineError(error.code, `${url}: ${error.message}`, { cause: error })
        : error;
}
//# sourceMappingURL=pause-control.js.map