import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
/**
 * Checks that a file can be created in `folder` by creating one. Checking permissions is not enough, because the file
 * system may be read-only or may not support files.
 *
 * @throws an error that names the folder if not
 */
export async function requireUsable(folder) {
    const probe = join(folder, `.rolltape-probe-${randomUUID()}`);
    try {
        const file = await open(probe, "wx");
        await file.close();
        await rm(probe, { force: true });
    }
    catch (cause) {
        throw new Error(`no file can be created in ${folder}: ${describe(cause)}`, { cause });
    }
}
/** Returns the code and the text of an error of the file system, without the path of the file that was tried. */
function describe(error) {
    if (!(error instanceof Error))
        return String(error);
    return "syscall" in error ? error.message.replace(/, \w+ '.*'$/s, "") : error.message;
}
/**
 * Checks that `folder` can be opened for reading, which its sync needs.
 *
 * @throws an error that names the folder if not
 */
export async function requireReadable(folder) {
    try {
        await (await open(folder, "r")).close();
    }
    catch (error) {
        throw unreadable(folder, error);
    }
}
/** Returns the error of a folder that cannot be opened for reading. */
export function unreadable(folder, cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return new Error(`the folder ${folder} must be readable, because it is synced after a batch: ${why}`, { cause });
}
//# sourceMappingURL=usable-folder.js.map