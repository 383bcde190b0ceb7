import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Where made models are kept: $ROLLTAPE_CACHE_DIR, else $XDG_CACHE_HOME/rolltape, else ~/.cache/rolltape. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const { ROLLTAPE_CACHE_DIR: own, XDG_CACHE_HOME: shared } = environment;
  if (own) return resolve(own);
  return shared ? resolve(shared, "rolltape") : join(homedir(), ".cache", "rolltape");
}
