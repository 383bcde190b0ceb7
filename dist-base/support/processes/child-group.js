import { watchEnd } from "./child-end.js";
import { forgetGroup, killGroup, signalGroup, trackGroup } from "./process-group.js";
/**
 * A child process and its descendants, as one process group that does not outlive this process.
 *
 * A Ctrl-C in the terminal does not reach the group. When the child exits, processes that it left running are killed.
 */
export class ChildGroup {
    /** The leader of the group. */
    child;
    /** Resolves when the child exits or could not be started. */
    exited;
    /** Resolves when the child has exited and its output was read. */
    ended;
    #keepRest;
    #over = false;
    /** @param child a process that was just spawned, with `detached` */
    constructor(child, { keepRest = false } = {}) {
        this.child = child;
        this.#keepRest = keepRest;
        ({ exited: this.exited, ended: this.ended } = watchEnd(child));
        const { pid } = child;
        if (pid === undefined)
            return;
        trackGroup(pid);
        void this.exited.then(() => {
            this.#over = true;
            if (keepRest)
                forgetGroup(pid);
            else
                killGroup(pid);
        });
    }
    /** Signals every process of the group, if the child still runs. */
    signal(signal) {
        if (!this.#over && this.child.pid !== undefined)
            signalGroup(this.child.pid, signal);
    }
    /** Kills every process of the group, including those that outlived the child. */
    kill() {
        const { pid } = this.child;
        if (pid === undefined)
            return;
        if (this.#keepRest)
            signalGroup(pid, "SIGKILL");
        else
            killGroup(pid);
    }
}
//# sourceMappingURL=child-group.js.map