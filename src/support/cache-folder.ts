import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Where files that can be made again are kept: `$ROLLTAPE_CACHE_DIR`, else `rolltape` in the user's cache folder. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.ROLLTAPE_CACHE_DIR) return resolve(env.ROLLTAPE_CACHE_DIR);
  return resolve(env.XDG_CACHE_HOME || join(env.HOME || homedir(), ".cache"), "rolltape");
}
