import { SessionError } from "./errors.js";
import { diffMessages, joinMessages } from "./interaction.js";
/** The interactions of one session in completion order. */
export class InteractionLog {
    #sessionId;
    #all = [];
    #indexOf = new Map();
    #toolsKeys = new Set();
    #count = 0;
    /** @param count number of interactions, if the session is on disk only */
    constructor(sessionId, count = 0) {
        this.#sessionId = sessionId;
        this.#count = count;
    }
    /** Number of recorded interactions. Clearing the log does not change it. */
    get count() {
        return this.#count;
    }
    has(id) {
        return this.#indexOf.has(id);
    }
    add(interaction) {
        this.#all[interaction.index] = interaction;
        this.#indexOf.set(interaction.id, interaction.index);
        this.#toolsKeys.add(interaction.toolsKey);
        this.#count = Math.max(this.#count, this.#all.length);
    }
    /** Removes the interactions. Their number stays. */
    clear() {
        this.#all.length = 0;
        this.#indexOf.clear();
        this.#toolsKeys.clear();
    }
    /** Returns true if an interaction has these tools. */
    hasTools(toolsKey) {
        return this.#toolsKeys.has(toolsKey);
    }
    at(index) {
        const found = this.#all[index];
        if (!found)
            throw new SessionError("interaction_not_found", `Session ${this.#sessionId} has no interaction ${index}.`);
        return found;
    }
    /** The interaction that completed last; undefined if there are none. */
    get newest() {
        return this.#all.at(-1);
    }
    /** Returns the interaction that completed last. Throws if there are none. */
    requireNewest() {
        const { newest } = this;
        if (newest)
            return newest;
        throw new SessionError("no_interactions", `Session ${this.#sessionId} has no completed model call to reward.`);
    }
    /** Returns the interaction with this id. Throws if there is none. */
    require(id) {
        const index = this.#indexOf.get(id);
        if (index !== undefined)
            return this.at(index);
        const message = `Session ${this.#sessionId} has no interaction "${id.slice(0, 100)}".`;
        throw new SessionError("interaction_not_found", message, { param: "interactionId" });
    }
    readMessages(interaction) {
        return joinMessages(interaction, this.#all);
    }
    /** Returns a request's messages as the difference to those of its parent. */
    diff(messages, match) {
        if (!match)
            return diffMessages([], messages);
        const parent = this.at(match.index);
        const output = match.rule === "continuation" ? parent.output : [];
        return diffMessages([...this.readMessages(parent), ...output], messages);
    }
}
//# sourceMappingURL=interaction-log.js.map