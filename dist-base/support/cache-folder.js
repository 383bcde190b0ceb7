import { homedir } from "node:os";
import { join, resolve } from "node:path";
/**
 * Returns the folder for files that can be created again: `$ROLLTAPE_CACHE_DIR`, else `rolltape` in the user's cache.
 */
export function cacheFolder(env = process.env) {
    if (env.ROLLTAPE_CACHE_DIR)
        return resolve(env.ROLLTAPE_CACHE_DIR);
    return resolve(env.XDG_CACHE_HOME || join(env.HOME || homedir(), ".cache"), "rolltape");
}
//# sourceMappingURL=cache-folder.js.map