import type { ChildProcess } from "node:child_process";
import { type ChildEnd } from "./child-end.js";
export interface ChildGroupOptions {
    /** Keeps processes that the child leaves running when it exits, until {@link ChildGroup.kill}. Default false. */
    readonly keepRest?: boolean;
}
/**
 * A child process and its descendants, as one process group that does not outlive this process.
 *
 * A Ctrl-C in the terminal does not reach the group. When the child exits, processes that it left running are killed.
 */
export declare class ChildGroup<Child extends ChildProcess = ChildProcess> {
    #private;
    /** The leader of the group. */
    readonly child: Child;
    /** Resolves when the child exits or could not be started. */
    readonly exited: Promise<ChildEnd>;
    /** Resolves when the child has exited and its output was read. */
    readonly ended: Promise<ChildEnd>;
    /** @param child a process that was just spawned, with `detached` */
    constructor(child: Child, { keepRest }?: ChildGroupOptions);
    /** Signals every process of the group, if the child still runs. */
    signal(signal: NodeJS.Signals): void;
    /** Kills every process of the group, including those that outlived the child. */
    kill(): void;
}
