import { parentPort, workerData } from "node:worker_threads";
import { LmdbFile } from "./database.js";
import { requireSpace, requireWrites } from "./file-system.js";
import { readChangesToApply } from "./log/read-changes-to-apply.js";
import { unpackChanges } from "./packed-changes.js";
const options = workerData;
const file = new LmdbFile(options);
/** True after a commit that the disk refused. */
let failed = false;
parentPort?.on("message", (request) => {
    void handle(request).then((result) => parentPort?.postMessage(result));
});
async function handle(request) {
    try {
        if (request === "close")
            await file.close();
        else if (request instanceof Uint8Array)
            commit([...unpackChanges(request)], request.byteLength);
        else
            commit(readChangesToApply(request), request.bytes);
        return {};
    }
    catch (error) {
        return { error: error instanceof Error ? error : new Error(String(error)) };
    }
}
/**
 * Commits changes, unless the disk would certainly refuse them. Version 3.5.6 of the package `lmdb` writes beyond the end of a buffer
 * when it describes a write that the disk refused. A few such writes end the process, so LMDB is not asked again until other writes
 * succeed.
 */
function commit(changes, bytes) {
    requireSpace(options.path, bytes, changes.length);
    if (failed)
        requireWrites(options.path);
    failed = true;
    file.commit(changes);
    failed = false;
}
//# sourceMappingURL=commit-worker.js.map