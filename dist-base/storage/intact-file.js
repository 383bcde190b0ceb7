import { existsSync, statSync } from "node:fs";
import { runInTurns } from "../support/async/run-steps.js";
import { damagedFolderError } from "./errors.js";
import { FileCheck } from "./pages/check-file.js";
import { PageError, PageFile } from "./pages/page-file.js";
const REPORT_MS = 1000;
/**
 * Refuses a file whose pages are damaged, because LMDB would end the process at such a page. Takes about 0.1 s per gigabyte if the
 * pages with keys are in memory; values are not read.
 *
 * @throws StorageError `storage_unusable`
 */
export async function refuseDamagedFile(directory, path, onCheck) {
    // A file that was created, but not written, is empty.
    if (!existsSync(path) || statSync(path).size === 0)
        return;
    const file = openPages(directory, path);
    try {
        const reason = await runInTurns(reportSteps(new FileCheck(file), onCheck));
        if (reason === undefined)
            return;
        throw damagedFolderError(directory, reason);
    }
    finally {
        file.close();
    }
}
function openPages(directory, path) {
    try {
        return new PageFile(path);
    }
    catch (error) {
        if (error instanceof PageError)
            throw damagedFolderError(directory, error.message, error);
        throw error;
    }
}
function* reportSteps(check, onCheck) {
    const steps = check.run();
    for (let reportedAt = performance.now();;) {
        const step = steps.next();
        if (step.done)
            return step.value;
        if (performance.now() - reportedAt >= REPORT_MS) {
            reportedAt = performance.now();
            onCheck?.(check.checked, check.total);
        }
        yield;
    }
}
//# sourceMappingURL=intact-file.js.map