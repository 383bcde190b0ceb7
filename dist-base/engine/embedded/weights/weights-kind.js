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
import { open, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { assertRegularFile } from "./regular-file.js";
const MAGIC = "GGUF";
/**
 * Returns what a path leads to, by its content.
 *
 * @throws Error that says what to pass instead
 */
export async function weightsKind(path) {
    const entry = await statWeights(path);
    if (entry.isDirectory())
        return "checkpoint folder";
    assertRegularFile(entry);
    if ((await readBeginning(path, MAGIC.length)) === MAGIC)
        return "GGUF file";
    // Trainers often name the safetensors file itself.
    throw new Error("the file is no GGUF file. For safetensors, pass the folder that has them and config.json.");
}
async function statWeights(path) {
    try {
        return await stat(path);
    }
    catch (error) {
        if (isAbsolute(path) || !(error instanceof Error))
            throw error;
        // The client that sent the path may have another working directory.
        const hint = `Relative paths begin at the server's working directory, ${process.cwd()}.`;
        throw new Error(`${error.message}. ${hint}`, { cause: error });
    }
}
async function readBeginning(path, length) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const file = __addDisposableResource(env_1, await open(path), true);
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
        return buffer.toString("latin1", 0, bytesRead);
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
//# sourceMappingURL=weights-kind.js.map