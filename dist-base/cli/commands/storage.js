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
import { reasonOf } from "../../session/stored/offline-sessions.js";
import { verifySessions } from "../../session/stored/verify-sessions.js";
import { compactStorage, damagedFolderError, OfflineStorage, openForReading, StorageError, } from "../../storage/index.js";
import { countNoun } from "../count-noun.js";
import { EXIT_FAILURE } from "../exit.js";
import { formatBytes } from "../format-bytes.js";
import { describeStorage, inspectStorage } from "../storage/inspect-storage.js";
import { ProblemList } from "../storage/problems.js";
import { SessionProgress } from "../storage/progress.js";
import { readServerFacts } from "../storage/read-facts.js";
import { refuseLostServer } from "../storage/server-values.js";
/** `rolltape storage inspect`: prints what a storage folder has. */
export async function inspectFolder(directory, { json = false }) {
    const { reader, isOpen } = openForReading(directory);
    let inspected;
    try {
        inspected = inspectStorage(directory, reader, isOpen);
    }
    catch (error) {
        if (error instanceof StorageError)
            throw error;
        throw damagedFolderError(directory, reasonOf(error), error);
    }
    finally {
        await reader.close();
    }
    process.stdout.write(json ? `${JSON.stringify(inspected)}\n` : describeStorage(inspected));
}
/** `rolltape storage verify`: reads every record of a storage folder and lists what is damaged. */
export function verifyFolder(directory, { all = false } = {}) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const storage = __addDisposableResource(env_1, OfflineStorage.open(directory), false);
        readServerFacts(storage, directory);
        const problems = new ProblemList((line) => process.stdout.write(line), { all });
        const verified = verify(storage, problems);
        problems.end("; --all lists them");
        process.stdout.write(`${describeVerified(verified)}: ${describeResult(problems.count, verified)}\n`);
        if (problems.count > 0)
            process.exitCode = EXIT_FAILURE;
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        __disposeResources(env_1);
    }
}
/** `rolltape storage compact`: gives unused space of a storage folder back to the disk. */
export async function compactFolder(directory, { leaveOutDamaged = false } = {}) {
    const env_2 = { stack: [], error: void 0, hasError: false };
    try {
        const storage = __addDisposableResource(env_2, OfflineStorage.openForChange(directory), false);
        readServerFacts(storage, directory);
        const problems = new ProblemList((line) => process.stderr.write(line));
        const verified = verify(storage, problems);
        problems.end("; `rolltape storage verify --all` lists them");
        const isDamaged = problems.count > 0;
        if (isDamaged && !leaveOutDamaged) {
            throw damagedFolderError(directory, `${describeResult(problems.count, verified)}, so it was not compacted`);
        }
        if (isDamaged)
            refuseLostServer(storage, verified.damaged);
        const { before, after, original } = await compactStorage(storage, {
            isKept: (table, key) => verified.damaged.isIntact(table, key),
            keepOriginal: isDamaged,
        });
        const sizes = `${formatBytes(before.fileBytes)} before, ${formatBytes(after.fileBytes)} after`;
        const left = isDamaged ? `; ${countNoun(verified.damaged.sessions.size, "damaged session")} left out` : "";
        const kept = original === undefined ? "" : `; the damaged file is now ${original}`;
        process.stdout.write(`${directory}: ${sizes}${left}${kept}\n`);
    }
    catch (e_2) {
        env_2.error = e_2;
        env_2.hasError = true;
    }
    finally {
        __disposeResources(env_2);
    }
}
function verify(storage, problems) {
    const progress = new SessionProgress("verified");
    const report = (problem) => {
        progress.clear();
        problems.add(problem);
    };
    const verified = verifySessions(storage, report, (total) => progress.step(total));
    progress.clear();
    return verified;
}
function describeVerified({ sessions, records, heldExports }) {
    return `${countNoun(sessions, "session")} with ${countNoun(records, "record")}, ${countNoun(heldExports, "held export")}`;
}
function describeResult(problems, { damaged }) {
    if (problems === 0)
        return "intact";
    const unlisted = damaged.tables.size > 0 ? "; sessions and values on damaged pages are not counted" : "";
    return `${countNoun(problems, "problem")}, ${countNoun(damaged.sessions.size, "damaged session")}${unlisted}`;
}
//# sourceMappingURL=storage.js.map