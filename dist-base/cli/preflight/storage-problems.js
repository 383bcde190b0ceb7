import { isWrittenEmpty } from "../../config/index.js";
const DIRECTORY = "storage.directory";
/** Returns a problem if `storage.directory` is written without a value, because whoever wrote it may expect that sessions are stored. */
export function storageProblems({ storage }, sources) {
    if (storage.directory !== null || !isWrittenEmpty(DIRECTORY, sources))
        return [];
    const message = "is empty, so sessions are not stored and end with the process; write a folder, or null for no storage";
    return [{ key: DIRECTORY, message }];
}
//# sourceMappingURL=storage-problems.js.map