import type { ConfigSources } from "./resolve-config.js";
/**
 * Returns true if a key is written without a value, as in `storage.directory=` or `directory:`. Its value is then null, like that of a
 * key that is absent, but whoever wrote it may have expected another one: a variable of a script may have been empty.
 *
 * @param sources must be valid: see `resolveConfig`
 */
export declare function isWrittenEmpty(path: string, { file, overrides }: ConfigSources): boolean;
