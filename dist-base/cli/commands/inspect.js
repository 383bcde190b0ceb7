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
import { TensorFile } from "../../support/safetensors/tensor-file.js";
import { inspectBatch } from "../inspect/inspect-batch.js";
import { readShownRow } from "../inspect/read-shown-row.js";
import { describeBatch } from "../inspect/report.js";
import { reportJson, rowJson } from "../inspect/report-json.js";
import { describeRowText } from "../inspect/row-text.js";
/** `rolltape inspect`: prints the content of a batch, or one row of it, on standard output. */
export async function inspect(path, { rows = 0, text, model, json = false }) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const file = __addDisposableResource(env_1, await TensorFile.open(path), true);
        if (text !== undefined) {
            const shown = await readShownRow(file, text, model);
            process.stdout.write(json ? `${JSON.stringify(rowJson(shown))}\n` : describeRowText(shown, hasColors()));
            return;
        }
        const batch = await inspectBatch(file);
        process.stdout.write(json ? `${JSON.stringify(reportJson(path, batch, rows))}\n` : describeBatch(path, batch, rows));
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
/** https://no-color.org: any value but the empty one turns colors off. */
function hasColors() {
    return process.stdout.isTTY && !process.env["NO_COLOR"];
}
//# sourceMappingURL=inspect.js.map