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
import { crc32 } from "node:zlib";
import { TABLES } from "./changes.js";
import { LmdbFile } from "./database.js";
import { OfflineStorage } from "./offline-storage.js";
/** Bytes of one commit. LMDB keeps the pages of a commit in memory. */
const BATCH_BYTES = 2 ** 25;
/** Writes all entries that can be read and are kept to a new LMDB file. Returns the digests of what it wrote. */
export async function writeCopy(path, storage, isKept) {
    const digests = new Map();
    const file = new LmdbFile({ path, sync: false, readOnly: false });
    try {
        let batch = [];
        let bytes = 0;
        for (const table of TABLES) {
            const digest = new EntryDigest();
            for (const { key, value } of storage.scan(table, () => undefined)) {
                if (!isKept(table, key))
                    continue;
                digest.add({ key, value });
                batch.push({ table, key, value });
                bytes += value.length;
                if (bytes < BATCH_BYTES)
                    continue;
                file.append(batch);
                batch = [];
                bytes = 0;
            }
            digests.set(table, digest.toString());
        }
        file.append(batch);
    }
    finally {
        await file.close();
    }
    return digests;
}
/**
 * Reads a copy back.
 *
 * @throws Error if it is damaged or differs from what was written
 */
export function checkCopy(directory, name, digests) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const copy = __addDisposableResource(env_1, OfflineStorage.openCopy(directory, name), false);
        const fail = (reason) => {
            throw new Error(`the copy differs from what was written (${reason}). Check the disk`);
        };
        const damage = copy.findDamage();
        if (damage !== undefined)
            fail(damage);
        for (const table of TABLES) {
            const digest = new EntryDigest();
            for (const entry of copy.scan(table, ({ reason }) => fail(reason)))
                digest.add(entry);
            if (digest.toString() !== digests.get(table))
                fail(`table ${table}`);
        }
        return copy.readSize();
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        __disposeResources(env_1);
    }
}
class EntryDigest {
    #count = 0;
    #checksum = 0;
    add({ key, value }) {
        this.#count++;
        this.#checksum = crc32(value, crc32(key, this.#checksum));
    }
    toString() {
        return `${this.#count}:${this.#checksum}`;
    }
}
//# sourceMappingURL=copy-entries.js.map