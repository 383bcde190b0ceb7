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
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../../engine.js";
import { readCheckpointConfig } from "./checkpoint-config.js";
import { CheckpointFiles } from "./checkpoint-files.js";
import { planConversion } from "./plan-conversion.js";
import { writeGguf } from "./write-gguf.js";
/**
 * Converts a Hugging Face folder to a GGUF file in the folder for temporary files, with the metadata and the vocabulary of
 * the model in use.
 *
 * @throws EngineError if the folder has another model, or a file is missing or damaged
 */
export async function convertCheckpoint(folder, template) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        if (template.metadata.split) {
            const message = `${folder}: safetensors cannot be loaded, because the model in use is split into several GGUF files.`;
            throw new EngineError("engine_error", message);
        }
        const config = await readCheckpointConfig(folder, template);
        const files = __addDisposableResource(env_1, await CheckpointFiles.open(folder), true);
        const plan = planConversion(folder, files, config, template);
        const draft = await mkdtemp(join(tmpdir(), "rolltape-weights-"));
        const remove = () => rm(draft, { recursive: true, force: true });
        try {
            const path = join(draft, "model.gguf");
            await writeGguf(path, template.metadata, plan);
            return { path, [Symbol.asyncDispose]: remove };
        }
        catch (error) {
            await remove();
            throw error;
        }
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
//# sourceMappingURL=convert-checkpoint.js.map