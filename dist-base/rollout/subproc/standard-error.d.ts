import { SubprocError, type SubprocErrorCode } from "./errors.js";
/** Returns the error of a process that failed. Its message ends with the end of the process's standard error. */
export declare function processError(code: SubprocErrorCode, sentence: string, text: string): SubprocError;
/** Adds the standard error of the killed process to a time-out. Returns any other error as it is. */
export declare function addStandardError(error: unknown, text: string): unknown;
/** Remembers what the process of an agent wrote to its standard error before this error. */
export declare function noteStandardError(error: Error, text: string): void;
/** Returns the remembered end of the standard error for an error; empty if there is none. */
export declare function readStandardError(error: unknown): string;
