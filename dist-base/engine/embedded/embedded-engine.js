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
import { startCallDeadline } from "../call-deadline.js";
import { EngineError } from "../engine.js";
import { decode, reuseCache } from "./decode.js";
import { OutputWriter } from "./output-writer.js";
import { randomSeed } from "./randomness.js";
import { startRuntime } from "./runtime.js";
import { GREEDY_BELOW, Sampler } from "./sampler.js";
import { SequencePool } from "./sequence-pool.js";
import { StepGate } from "./step-gate.js";
import { EmbeddedWeights } from "./weights/embedded-weights.js";
import { readModelTemplate } from "./weights/model-template.js";
/** An engine that runs llama.cpp in this process. */
class EmbeddedEngine {
    type = "embedded";
    /** llama.cpp's grammars work only with its samplers, whose log probabilities are not those of {@link Sampler}. */
    supports = { grammar: false, stopsWithoutEos: true };
    #runtime;
    #pool;
    #gate = new StepGate();
    #closed = new AbortController();
    #timeoutSeconds;
    #closing;
    localWeights;
    constructor(runtime, template, timeoutSeconds) {
        this.#runtime = runtime;
        this.#timeoutSeconds = timeoutSeconds;
        this.#pool = new SequencePool(runtime.sequences, runtime.contextSize);
        this.localWeights = new EmbeddedWeights(runtime, template, this.#gate, this.#pool);
    }
    get load() {
        return this.#pool.load;
    }
    async contextLength() {
        return this.#runtime.contextSize;
    }
    effectiveTemperature(temperature) {
        return temperature < GREEDY_BELOW ? 0 : temperature;
    }
    async generate(call) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            call.signal.throwIfAborted();
            this.#closed.signal.throwIfAborted();
            this.#checkCall(call);
            const prompt = call.prompt.tokens();
            if (!prompt.every((id) => id >= 0 && id < this.#runtime.vocabSize)) {
                throw new EngineError("engine_error", "The prompt contains a token id that is not in the model's vocabulary.");
            }
            if (call.sampling.thinkingBudget !== undefined)
                call.onBudgetIgnored?.();
            const deadline = __addDisposableResource(env_1, startCallDeadline(call.signal, this.#timeoutSeconds, () => this.#gate.paused), false);
            return await this.#inSlot({ ...call, signal: deadline.signal }, prompt, deadline);
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            __disposeResources(env_1);
        }
    }
    async #inSlot(call, prompt, deadline) {
        const slot = await this.#acquire(call, prompt, deadline);
        try {
            return await this.#run(call, slot, prompt, deadline);
        }
        finally {
            this.#pool.release(slot);
        }
    }
    /** Waits for a sequence. Stops the clock of the deadline meanwhile, because the engine does not work on the call yet. */
    async #acquire(call, prompt, deadline) {
        const env_2 = { stack: [], error: void 0, hasError: false };
        try {
            const _stopped = __addDisposableResource(env_2, deadline.stopClock(), false);
            return await this.#pool.acquire(prompt, call.affinityKey, call.signal);
        }
        catch (e_2) {
            env_2.error = e_2;
            env_2.hasError = true;
        }
        finally {
            __disposeResources(env_2);
        }
    }
    /** Refuses calls that exceed the context, because node-llama-cpp would silently drop the oldest tokens. */
    #checkCall({ prompt, sampling }) {
        const { contextSize } = this.#runtime;
        if (prompt.length === 0)
            throw new EngineError("engine_error", "The prompt must have at least one token.");
        if (sampling.grammar)
            throw new EngineError("engine_error", "The embedded engine does not support grammars.");
        if (sampling.maxTokens < 1) {
            throw new EngineError("engine_error", `maxTokens must be at least 1; received ${sampling.maxTokens}.`);
        }
        const unknown = sampling.logitBias.find(([id]) => id >= this.#runtime.vocabSize);
        if (unknown) {
            const message = `logit_bias must have token ids below ${this.#runtime.vocabSize}; received ${unknown[0]}.`;
            throw new EngineError("engine_rejected_request", message);
        }
        if (prompt.length + sampling.maxTokens > contextSize) {
            const message = `${prompt.length} prompt and ${sampling.maxTokens} output tokens exceed the context of ${contextSize}.`;
            throw new EngineError("engine_rejected_request", message);
        }
    }
    async #run(call, slot, ids, deadline) {
        const { sampling, generation } = call;
        const prompt = Array.from(ids, asToken);
        const runStep = (step) => this.#gate.run(deadline, () => clearingOnFailure(slot, step));
        try {
            const cachedTokens = await runStep(() => reuseCache(slot, prompt, slot.cached.commonPrefix(ids)));
            const sampler = new Sampler(sampling, sampling.seed ?? randomSeed(), this.#runtime.vocabSize);
            const writer = new OutputWriter(generation, sampling.topLogprobs, call.onTokens);
            const { finish, resumes } = await decode(slot, prompt, sampler, call, writer, runStep);
            writer.flush();
            return { finish, cachedTokens, resumes, logprobs: "temperature" };
        }
        catch (error) {
            if (error === call.signal.reason || error === this.#closed.signal.reason)
                throw error;
            throw new EngineError("engine_error", "The embedded engine failed.", { cause: error });
        }
    }
    async health() {
        this.#closed.signal.throwIfAborted();
    }
    /** Fails running and waiting calls with engine_unavailable, then frees the model. */
    close() {
        this.#closing ??= this.#close();
        return this.#closing;
    }
    async #close() {
        const reason = new EngineError("engine_unavailable", "The engine is closed.");
        this.#closed.abort(reason);
        this.#gate.close(reason);
        await this.#pool.drain(reason);
        await this.localWeights.close(reason);
        await this.#runtime.dispose();
    }
}
/** Empties the slot's cache if the step fails, because its content is then unknown. */
async function clearingOnFailure(slot, step) {
    try {
        return await step();
    }
    catch (error) {
        slot.cached.truncate(0);
        await slot.sequence.clearHistory();
        throw error;
    }
}
/** node-llama-cpp has a branded type for token ids. */
function asToken(id) {
    return id;
}
/**
 * Creates an engine that runs llama.cpp in this process, through node-llama-cpp.
 *
 * The same seed, prompt and sampling parameters give the same ids again, except for rounding: the last bits of
 * llama.cpp's results depend on the other calls in the batch.
 *
 * @throws EngineError engine_unavailable if node-llama-cpp is not installed
 * @throws RangeError if an option is out of range
 */
export async function createEmbeddedEngine(options = {}) {
    const { timeoutSeconds = 0 } = options;
    if (!(timeoutSeconds >= 0))
        throw new RangeError(`timeoutSeconds must be 0 or more; received ${timeoutSeconds}`);
    const runtime = await startRuntime(options);
    try {
        const template = await readModelTemplate(runtime.current.model.fileInfo, runtime.modelPath);
        return new EmbeddedEngine(runtime, template, timeoutSeconds);
    }
    catch (error) {
        await runtime.dispose();
        throw error;
    }
}
//# sourceMappingURL=embedded-engine.js.map