/** Longest time that a check of the engine may take. */
const CHECK_TIMEOUT_MS = 3000;
/** Probes within this time share the result of one check. */
const FRESH_MS = 1000;
/** Health of the engine for probes. However many probes ask, the engine is checked once a second at most. */
export class EngineHealth {
    #engine;
    #lastCheck;
    constructor(engine) {
        this.#engine = engine;
    }
    check() {
        const now = performance.now();
        if (this.#lastCheck === undefined || now - this.#lastCheck.startedAt >= FRESH_MS) {
            this.#lastCheck = { startedAt: now, result: this.#askEngine() };
        }
        return this.#lastCheck.result;
    }
    async #askEngine() {
        try {
            await this.#engine.health(AbortSignal.timeout(CHECK_TIMEOUT_MS));
            return { ok: true };
        }
        catch (error) {
            return { ok: false, message: error instanceof Error ? error.message : String(error) };
        }
    }
}
//# sourceMappingURL=engine-health.js.map