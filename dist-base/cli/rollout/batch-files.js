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
import { format, parse } from "node:path";
import { TensorFile } from "../../support/safetensors/tensor-file.js";
import { addFindings, NO_FINDINGS, readFindings } from "../inspect/batch-findings.js";
import { readRows } from "../inspect/rows.js";
/** The files that a job writes. */
export class BatchFiles {
    #writer;
    #out;
    #isNumbered;
    #next;
    files = [];
    bytes = 0;
    rows = 0;
    tokens = 0;
    findings = NO_FINDINGS;
    /**
     * @param writer writes each file
     * @param out the file of the batch, or the base name if there are several batches
     * @param first number of the first batch if there may be several, which is part of the name:
     * `batch-00000.safetensors`. Undefined if there is only one batch
     */
    constructor(writer, out, first) {
        this.#writer = writer;
        this.#out = out;
        this.#isNumbered = first !== undefined;
        this.#next = first ?? 0;
    }
    /** Number of the batch whose file {@link nextFile} returned last. */
    get number() {
        return this.#next - 1;
    }
    /** The file that {@link nextFile} returns next. */
    get upcomingFile() {
        return this.#isNumbered ? addNumber(this.#out, this.#next) : this.#out;
    }
    /** Returns the file of the next batch. Call it once per batch, even if the batch is not written. */
    nextFile() {
        const file = this.upcomingFile;
        this.#next++;
        return file;
    }
    /** Counts a batch that an earlier process wrote. */
    async restore(file) {
        await this.#count(file);
        this.files.push(file);
    }
    /**
     * Writes a batch. The file appears when it is complete.
     *
     * @throws BatchFileError if no folder took it
     */
    async write(file, batch) {
        const written = await this.#writer.write(file, batch);
        await this.#count(written.file);
        this.files.push(written.file);
        return written;
    }
    async #count(path) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const file = __addDisposableResource(env_1, await TensorFile.open(path), true);
            const lengths = readRows(file.header).map(({ length }) => length);
            this.bytes += file.byteLength;
            this.rows += lengths.length;
            this.tokens += lengths.reduce((total, length) => total + length, 0);
            this.findings = addFindings(this.findings, await readFindings(file, lengths.length));
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
}
const DIGITS = 5;
function addNumber(file, number) {
    const { dir, name, ext } = parse(file);
    return format({ dir, name: `${name}-${String(number).padStart(DIGITS, "0")}`, ext });
}
//# sourceMappingURL=batch-files.js.map