import { type Environment } from "./task-environment.js";
export interface Program {
    /** The program and its arguments. */
    readonly command: readonly [string, ...string[]];
    /** Its working directory. */
    readonly directory: string;
    /** Variables added to this process's environment. */
    readonly environment: Environment;
    /** Content of its standard input. */
    readonly input: string;
}
/**
 * Runs a program to its end and returns its reward (see {@link RewardLine}).
 *
 * Processes that it leaves running in its process group are killed when it ends. The whole group is killed when the
 * signal aborts. Its standard error is forwarded to this process's standard error, and so is the end of its standard
 * output if it fails.
 *
 * @throws SubprocError `program_not_started`, `program_failed`, `invalid_program_output`, or the signal's reason
 */
export declare function runProgram(program: Program, signal: AbortSignal): Promise<unknown>;
