import { RequestError } from "../request-error.js";
/** Error messages show at most this many characters of a function's name. */
const MAX_SHOWN_NAME = 128;
/**
 * The ids of a conversation's function calls. They are optional in Gemini's API: a response without an id answers the earliest call
 * of its function that has no response.
 */
export class CallIds {
    #waiting = new Map();
    #answered = new Set();
    #calls = 0;
    /** Returns the id of a call. A call without one gets the same id in every later request of the conversation. */
    addCall({ id, name }) {
        const known = id || toId(this.#calls);
        this.#calls++;
        // A later call may reuse the id of an earlier one.
        this.#answered.delete(known);
        const waiting = this.#waiting.get(name);
        if (waiting)
            waiting.ids.push(known);
        else
            this.#waiting.set(name, { ids: [known], next: 0 });
        return known;
    }
    /**
     * Returns the id of the call that a response answers.
     *
     * @param param path of the response
     * @throws RequestError if the response has no id, and all earlier calls of its function have a response
     */
    findCall({ id, name }, param) {
        const answered = id || this.#takeWaiting(name);
        if (answered === undefined) {
            const shown = name.slice(0, MAX_SHOWN_NAME);
            const message = `${param} answers no call: no earlier functionCall of "${shown}" is without a response.`;
            throw new RequestError(param, message);
        }
        this.#answered.add(answered);
        return answered;
    }
    #takeWaiting(name) {
        const waiting = this.#waiting.get(name);
        if (!waiting)
            return undefined;
        while (waiting.next < waiting.ids.length) {
            const id = waiting.ids[waiting.next++];
            if (id !== undefined && !this.#answered.has(id))
                return id;
        }
        return undefined;
    }
}
/** Nine characters, because the templates of some Mistral models refuse other ids. */
function toId(index) {
    return `call${String(index).padStart(5, "0")}`;
}
//# sourceMappingURL=call-ids.js.map