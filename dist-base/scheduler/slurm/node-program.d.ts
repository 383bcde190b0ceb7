/** Returns the command that runs a program of this folder with Node, compiled or from the sources, as in tests. */
export declare function nodeProgram(name: "batch-main" | "step/step-main"): [string, ...string[]];
