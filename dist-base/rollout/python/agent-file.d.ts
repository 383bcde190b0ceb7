/** A Python agent: a file, and what it defines. */
export interface PythonAgentFile {
    /** Absolute path. */
    readonly file: string;
    /** Undefined: the only function, class or object with `run` that the file defines. */
    readonly name: string | undefined;
}
/** Returns true for `agent.py` and `agent.py:solve`. */
export declare function isPythonAgent(text: unknown): text is string;
/**
 * Reads `agent.py:solve` or `agent.py`.
 *
 * @param directory folder that a relative path begins in
 * @throws WorkflowError `invalid_import`
 */
export declare function parseAgentFile(text: string, directory: string): PythonAgentFile;
