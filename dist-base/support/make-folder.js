import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
/**
 * Creates a folder and its parents. `mkdir` with `recursive` is not used because it hangs on file systems that refuse new
 * folders, such as /proc.
 */
export async function makeFolder(folder) {
    try {
        await mkdir(folder);
    }
    catch (error) {
        if (await isFolder(folder))
            return;
        const parent = dirname(folder);
        if (parent === folder || (await isFolder(parent)) || !isMissing(error))
            throw error;
        await makeFolder(parent);
        // Another job may make the same folders at the same time.
        await mkdir(folder).catch(async (failure) => {
            if (!(await isFolder(folder)))
                throw failure;
        });
    }
}
async function isFolder(path) {
    const existing = await stat(path).catch(() => undefined);
    return existing?.isDirectory() ?? false;
}
function isMissing(error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT";
}
//# sourceMappingURL=make-folder.js.map