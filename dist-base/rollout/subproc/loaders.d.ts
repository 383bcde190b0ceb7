/**
 * Returns the Node arguments that affect how modules are found and loaded, without those of debuggers and profilers.
 */
export declare function pickLoaders(execArgv: readonly string[]): string[];
