import { StepError, } from "../../control/weights/weight-targets.js";
import { EngineError } from "../../engine/engine.js";
import { ApiError } from "../../http/errors.js";
import { EMBEDDED } from "./known-weights.js";
const NO_FAILURES = new Map();
/** The engine in this process, as the only target of weight updates. */
export class EmbeddedTargets {
    #weights;
    #current;
    #known;
    #prepared;
    #isPaused = false;
    constructor(weights, current, known) {
        this.#weights = weights;
        this.#current = current;
        this.#known = known;
    }
    get version() {
        return this.#current.version;
    }
    async servers() {
        return [{ ...this.#known.find(EMBEDDED), draining: false }];
    }
    spell(exclude) {
        return [...exclude];
    }
    async isPaused() {
        return false;
    }
    check({ mode }) {
        if (mode !== "external")
            return;
        const message = "`mode` must be absent: the engine runs in this process, so only it can load weights.";
        throw new ApiError("invalid_value", message, { param: "mode" });
    }
    begin(target) {
        return this.#known.begin(target, [EMBEDDED]);
    }
    /** Reads the weights while calls run. */
    async prepare({ path }) {
        if (path === null || !this.#weights.prepare)
            return;
        await this.#discard();
        this.#prepared = await this.#weights.prepare(path);
    }
    async pause() {
        if (!this.#isPaused)
            await this.#weights.pause();
        this.#isPaused = true;
        return NO_FAILURES;
    }
    async load(_url, { path }) {
        if (path === null)
            throw new Error("the embedded engine loads weights itself");
        const prepared = this.#prepared;
        this.#prepared = undefined;
        try {
            if (prepared)
                await prepared.apply();
            else
                await this.#weights.load(path);
        }
        catch (error) {
            if (!(error instanceof EngineError))
                throw error;
            throw new StepError({ message: error.message, unchanged: true, unreachable: false });
        }
    }
    /** The engine has no state of the old weights after a load, and gets the version from its callers. */
    async finish() { }
    async commit(version) {
        await this.#current.set(version);
        await this.#known.stored();
    }
    async resume() {
        return NO_FAILURES;
    }
    async drain() { }
    async release(servers) {
        await this.#discard();
        this.#known.end(servers);
        if (this.#isPaused)
            this.#weights.resume();
        this.#isPaused = false;
    }
    /** A failed load keeps the old weights, so they are known while new ones are loaded. */
    note(server) {
        if (server.version !== null)
            this.#known.note(server);
    }
    async #discard() {
        const prepared = this.#prepared;
        this.#prepared = undefined;
        await prepared?.discard();
    }
}
//# sourceMappingURL=embedded-targets.js.map