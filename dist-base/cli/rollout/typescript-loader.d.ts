/**
 * Loads the tsx of the agent's project, so that this process can import an agent in TypeScript. Returns the Node
 * arguments with which worker processes do the same.
 *
 * Does nothing if Node reads TypeScript itself, or if no tsx is found. The error of the import then says what is
 * missing.
 */
export declare function loadTypeScript(specifier: string): Promise<string[]>;
