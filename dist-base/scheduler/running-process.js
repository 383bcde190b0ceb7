import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { ChildGroup } from "../support/processes/child-group.js";
import { makeEnd } from "../support/processes/escalation.js";
import { toProcessEnd } from "./process-end.js";
/** A process of a job on this machine, with its descendants. */
export class RunningProcess {
    ended;
    #group;
    constructor({ command, env, output, errors }) {
        const [file = "", ...args] = command;
        const files = [openSync(output, "w")];
        try {
            files.push(openSync(errors, "a"));
            const options = { env: { ...process.env, ...env }, detached: true };
            const child = spawn(file, args, { ...options, stdio: ["ignore", ...files] });
            this.#group = new ChildGroup(child, { keepRest: true });
        }
        finally {
            files.forEach(closeSync);
        }
        this.ended = this.#group.ended.then((end) => toProcessEnd(end, file));
    }
    /** Asks the process to end, and kills it after `seconds`. When it has ended, kills processes that it left running. */
    async stop(seconds) {
        await makeEnd(this.ended, [
            { act: () => this.signal("SIGTERM"), seconds },
            { act: () => this.signal("SIGKILL"), seconds: 0 },
        ]);
        this.#group.kill();
    }
    /** Signals the process and its descendants, if it still runs. */
    signal(signal) {
        this.#group.signal(signal);
    }
}
//# sourceMappingURL=running-process.js.map