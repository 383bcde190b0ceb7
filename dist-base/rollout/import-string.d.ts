/**
 * Imports what a string names: `module#export`, or `module` for its default export or the module itself.
 *
 * The module is a file (relative to `directory`, absolute, or a file: URL) or a package. TypeScript needs a loader in
 * this process.
 */
export declare function importString(text: string, directory: string): Promise<unknown>;
