import { countNoun } from "../count-noun.js";
const CLEAR_LINE = "\r\u001b[K";
/** Shows on a terminal how far a weight update is. */
export class WeightsProgress {
    #terminal;
    constructor(terminal) {
        this.#terminal = terminal;
    }
    show({ state, targetVersion, servers, pausedSeconds }) {
        if (!this.#terminal.isTTY || state === "idle")
            return;
        const loaded = servers.filter((server) => server.state === "loaded").length;
        const held = `calls held for ${(pausedSeconds ?? 0).toFixed(1)} s`;
        const done = `${loaded} of ${countNoun(servers.length, "server")} loaded`;
        this.#terminal.write(`${CLEAR_LINE}version ${targetVersion ?? "?"}: ${state}, ${done}, ${held}`);
    }
    /** Removes the line, so that something else can be printed. */
    clear() {
        if (this.#terminal.isTTY)
            this.#terminal.write(CLEAR_LINE);
    }
}
//# sourceMappingURL=progress.js.map