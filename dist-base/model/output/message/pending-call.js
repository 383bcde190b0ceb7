import { randomUUID } from "node:crypto";
export const randomCallId = () => `call_${randomUUID().replaceAll("-", "")}`;
/**
 * A call that is being read. It is written as an event only when the whole call is well formed, because any character of
 * the arguments can make it malformed, and events cannot be taken back.
 */
export class PendingCall {
    #out;
    #newId;
    #header;
    #arguments = "";
    constructor(out, newId) {
        this.#out = out;
        this.#newId = newId;
    }
    get isNamed() {
        return this.#header !== undefined;
    }
    get name() {
        return this.#header?.name;
    }
    get hasArguments() {
        return this.#arguments !== "";
    }
    /** @param id the id that the model gave the call, if its format has ids */
    setName(name, id) {
        this.#header = { name, id };
    }
    /** Appends to the text of the arguments, which is well formed so far. */
    arguments = (text) => {
        this.#arguments += text;
    };
    /** Writes the call, which is well formed. A call without arguments gets an empty object. */
    close() {
        if (this.#header === undefined)
            return;
        this.#out.writeCall(this.#header.id ?? this.#newId(), this.#header.name, this.#arguments || "{}");
    }
}
//# sourceMappingURL=pending-call.js.map