/**
 * Returns the folder for files that can be created again: `$ROLLTAPE_CACHE_DIR`, else `rolltape` in the user's cache.
 */
export declare function cacheFolder(env?: NodeJS.ProcessEnv): string;
