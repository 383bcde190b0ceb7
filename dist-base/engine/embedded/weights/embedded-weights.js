var __addDisposableResource = (this && this.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var __disposeResources = (this && this.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});
import { EngineError } from "../../engine.js";
import { importLlama } from "../import-llama.js";
import { checkGguf } from "./check-gguf.js";
import { hasMemoryFor } from "./free-memory.js";
import { checkGgufHeader } from "./gguf-header.js";
import { convertCheckpoint } from "./hugging-face/convert-checkpoint.js";
import { readModelTemplate } from "./model-template.js";
import { weightsKind } from "./weights-kind.js";
/**
 * Replaces the engine's weights:
 *
 * 1. `prepare` checks the files, converts them if needed, and loads them while the old weights stay in use.
 * 2. `pause` holds all calls between two steps.
 * 3. `apply` exchanges model and sequences. The new sequences have empty caches.
 * 4. `resume` lets the calls go on. The old weights are freed meanwhile.
 */
export class EmbeddedWeights {
    #runtime;
    #gate;
    #pool;
    #template;
    /** Work that must end before the runtime may be disposed of. */
    #pending = new Set();
    #freeing = Promise.resolve();
    #closed;
    constructor(runtime, template, gate, pool) {
        this.#runtime = runtime;
        this.#template = template;
        this.#gate = gate;
        this.#pool = pool;
    }
    pause() {
        return this.#gate.pause();
    }
    resume() {
        this.#gate.resume();
    }
    async load(path) {
        this.#requirePause();
        const prepared = await this.prepare(path);
        try {
            await prepared.apply();
        }
        finally {
            await prepared.discard();
        }
    }
    async prepare(path) {
        let candidate = await this.#track(this.#prepare(path));
        return {
            apply: async () => {
                this.#requirePause();
                if (!candidate)
                    throw new EngineError("engine_error", "The weights were already applied or discarded.");
                const taken = candidate;
                candidate = undefined;
                await this.#track(this.#apply(taken));
            },
            discard: async () => {
                const taken = candidate;
                candidate = undefined;
                if (taken)
                    await this.#runtime.free(taken.model, taken.loaded?.context);
            },
        };
    }
    /** Waits for running work. Later calls fail with `reason`. */
    async close(reason) {
        this.#closed = { reason };
        while (this.#pending.size > 0)
            await Promise.allSettled(this.#pending);
    }
    #requirePause() {
        if (this.#closed)
            throw this.#closed.reason;
        if (!this.#gate.paused)
            throw new EngineError("engine_error", "Weights can be replaced only during a pause.");
    }
    #track(work) {
        this.#pending.add(work);
        const forget = () => void this.#pending.delete(work);
        work.then(forget, forget);
        return work;
    }
    async #prepare(path) {
        try {
            if (this.#closed)
                throw this.#closed.reason;
            await this.#freeing;
            const kind = await weightsKind(path);
            return await (kind === "GGUF file" ? this.#prepareGguf(path) : this.#prepareCheckpoint(path));
        }
        catch (error) {
            throw toEngineError(path, error);
        }
    }
    async #prepareCheckpoint(folder) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const template = this.#template;
            const gguf = __addDisposableResource(env_1, await convertCheckpoint(folder, template), true);
            return await this.#loadCandidate(folder, await this.#runtime.loadModel(gguf.path), template);
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            const result_1 = __disposeResources(env_1);
            if (result_1)
                await result_1;
        }
    }
    async #prepareGguf(path) {
        await checkGgufHeader(path);
        const { readGgufFileInfo } = await importLlama();
        const info = await readGgufFileInfo(path, { sourceType: "filesystem" });
        checkGguf(path, info, this.#template);
        const template = await readModelTemplate(info, path);
        return await this.#loadCandidate(path, await this.#runtime.loadModel(path), template);
    }
    async #loadCandidate(path, model, template) {
        try {
            const enough = hasMemoryFor(this.#runtime.current.context.memoryUsage.ram);
            const loaded = enough ? await this.#runtime.openModel(model) : undefined;
            return { path, model, template, loaded };
        }
        catch (error) {
            await this.#runtime.free(model);
            throw error;
        }
    }
    async #apply({ path, model, template, loaded }) {
        const old = this.#runtime.current;
        try {
            this.#use(loaded ?? (await this.#openInPlaceOf(old, model)));
        }
        catch (error) {
            await this.#runtime.free(model);
            throw toEngineError(path, error);
        }
        this.#template = template;
        // The new weights are in use even if the old ones cannot be freed.
        this.#freeing = this.#track(this.#runtime.free(old.model, old.context)).catch(() => undefined);
    }
    /** Frees the old caches, then creates those of the new model. If that fails, creates the old model's caches again, empty. */
    async #openInPlaceOf(old, model) {
        await old.context.dispose();
        try {
            return await this.#runtime.openModel(model);
        }
        catch (error) {
            this.#use(await this.#runtime.openModel(old.model));
            throw error;
        }
    }
    #use(loaded) {
        this.#runtime.current = loaded;
        this.#pool.replaceSequences(loaded.sequences);
    }
}
function toEngineError(path, error) {
    if (error instanceof EngineError)
        return error;
    const reason = error instanceof Error ? error.message : String(error);
    return new EngineError("engine_error", `Weights ${path} cannot be loaded: ${reason}`, { cause: error });
}
//# sourceMappingURL=embedded-weights.js.map