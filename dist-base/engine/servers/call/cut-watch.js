import { EngineError } from "../../engine.js";
import { publicText } from "../wire/errors.js";
/** SGLang removed the request from its queue. It never ran, so nothing in it can have failed. */
const NEVER_RAN = /^Abort (?:in waiting queue|before prefill)/;
const MENTIONS_UPDATE = /\b(?:paus|weight|update)/i;
/** SGLang's message of every requested abort. A failed grammar step requests one too. */
const REQUESTED = "Aborted";
/** Remembers the pauses and the weight version when a request is sent, and later finds out what cut the request. */
export class CutWatch {
    #hold;
    #call;
    #pauses;
    #version;
    #from;
    constructor(hold, call) {
        this.#hold = hold;
        this.#call = call;
        this.#pauses = hold.pauses;
        this.#version = call.currentVersion();
        this.#from = call.generation.length;
    }
    /**
     * Returns why the request was cut.
     *
     * @throws EngineError if neither a pause nor a weight update explains the cut: a new request would end in the same way
     */
    async findCause(finish, server) {
        if (this.#hold.pauses !== this.#pauses)
            return "pause";
        if (this.#call.currentVersion() !== this.#version || this.#hasTwoVersions())
            return "version";
        const { message } = finish;
        if (message !== undefined && (NEVER_RAN.test(message) || MENTIONS_UPDATE.test(message)))
            return "message";
        const requested = message === undefined || message === REQUESTED;
        const { grammar } = this.#call.sampling;
        if (requested && grammar === undefined)
            return "message";
        const update = await server.weightUpdate?.();
        if (update?.paused)
            return "pause";
        if (update?.version !== undefined && this.#isNew(update.version))
            return "version";
        throw unexplainedAbort(message, grammar !== undefined);
    }
    #versions() {
        return this.#call.generation.versions(this.#from);
    }
    #hasTwoVersions() {
        const versions = this.#versions();
        return versions.some((version) => version !== versions[0]);
    }
    #isNew(version) {
        const last = this.#versions().at(-1);
        return last !== undefined && last !== version;
    }
}
function unexplainedAbort(message, grammar) {
    const detail = message === undefined ? "" : ` (${publicText(message)})`;
    const step = grammar ? " A step of the call's grammar may have failed." : "";
    return new EngineError("engine_error", `The engine aborted the generation${detail}. Neither a pause nor a new weight version explains this.${step}`);
}
//# sourceMappingURL=cut-watch.js.map