/** A worker is unreachable if it answers nothing for this many ticks. Each of these ticks except the last one sends a probe. */
const SILENT_TICKS = 5;
/**
 * Errors of a probe whose connection the worker closed. A worker does this when it has `server.max_connections` connections. It is
 * alive then: a stopped process closes no connection.
 */
const CLOSED = new Set(["UND_ERR_SOCKET", "ECONNRESET"]);
/**
 * The circuit breaker of one worker. While calls wait for the worker, it is probed once per tick, however many calls wait. A
 * generation may take any time as long as the worker answers calls or probes.
 *
 * If it answers nothing for a while, it is unreachable: waiting calls end, and new ones are refused immediately. Then only probes
 * are sent. The first answer makes the worker reachable again, so no call has to fail to test it.
 *
 * Silence is counted in ticks, not in seconds: a gateway that was itself stopped for a minute received no answers either.
 */
export class WorkerContact {
    #options;
    /** Functions that end the waiting calls. */
    #onLost = new Set();
    #isUnreachable = false;
    /** True if a call failed and the worker has answered nothing since. */
    #isSuspect = false;
    #isClosed = false;
    #hasAnswered = false;
    #silentTicks = 0;
    #timer;
    constructor(options) {
        this.#options = options;
    }
    /** True if calls to the worker are refused. */
    get isUnreachable() {
        return this.#isUnreachable;
    }
    /**
     * Watches the worker for a call that waits for it.
     *
     * @param onLost called if the worker becomes unreachable
     * @returns a function that ends the watch
     */
    watch(onLost) {
        this.#onLost.add(onLost);
        this.#start();
        return () => void this.#onLost.delete(onLost);
    }
    /** Reports a call without an answer. The worker is then probed even if no other call waits. */
    suspect() {
        if (this.#isSuspect || this.#isClosed)
            return;
        this.#isSuspect = true;
        this.#start();
        void this.#probe();
    }
    /** Reports that the worker answered a call or a probe. */
    answered() {
        this.#hasAnswered = true;
        this.#isSuspect = false;
        this.#silentTicks = 0;
        if (!this.#isUnreachable)
            return;
        this.#isUnreachable = false;
        this.#options.onChange(false);
    }
    /** Stops probing the worker once no call waits for it. Call this when the worker has left. */
    close() {
        this.#isClosed = true;
        this.#isSuspect = false;
        if (this.#onLost.size === 0)
            this.#stop();
    }
    /** Starts the timer. It stops at the first tick that is not needed, so that consecutive calls need not restart it. */
    #start() {
        if (this.#timer)
            return;
        this.#silentTicks = 0;
        this.#hasAnswered = false;
        this.#timer = setInterval(() => this.#tick(), this.#options.unreachableMilliseconds / SILENT_TICKS);
        this.#timer.unref();
    }
    #stop() {
        clearInterval(this.#timer);
        this.#timer = undefined;
    }
    #tick() {
        const isNeeded = this.#onLost.size > 0 || this.#isSuspect || (this.#isUnreachable && !this.#isClosed);
        if (!isNeeded)
            return this.#stop();
        const hasAnswered = this.#hasAnswered;
        this.#hasAnswered = false;
        // Any answer shows that the worker is alive, so no probe is needed.
        if (hasAnswered)
            return;
        this.#silentTicks++;
        if (this.#silentTicks >= SILENT_TICKS && !this.#isUnreachable)
            this.#lose();
        else
            void this.#probe();
    }
    async #probe() {
        try {
            await this.#options.probe(AbortSignal.timeout(this.#options.unreachableMilliseconds));
            this.answered();
        }
        catch (error) {
            const { code } = error;
            if (CLOSED.has(code))
                this.answered();
            // Nothing listens at the address.
            else if (code === "ECONNREFUSED" && !this.#isUnreachable)
                this.#lose();
        }
    }
    #lose() {
        this.#isUnreachable = true;
        this.#isSuspect = false;
        this.#options.onChange(true);
        for (const onLost of this.#onLost)
            onLost();
    }
}
//# sourceMappingURL=worker-contact.js.map