import { toArgumentJson } from "./argument-json.js";
/**
 * Builds the JSON text of arguments that a model did not write as JSON, one complete argument after another.
 */
export class ArgumentWriter {
    #call;
    #count = 0;
    constructor(call) {
        this.#call = call;
    }
    get isEmpty() {
        return this.#count === 0;
    }
    /** @param types the JSON types that the tool's schema allows; undefined if it does not say */
    addText(key, value, types, rules) {
        this.add(key, toArgumentJson(value, types, rules));
    }
    /** @param json the value's JSON text */
    add(key, json) {
        this.#call.arguments(`${this.#count === 0 ? "{" : ", "}${JSON.stringify(key)}: ${json}`);
        this.#count++;
    }
    end() {
        if (this.#count > 0)
            this.#call.arguments("}");
    }
}
//# sourceMappingURL=argument-writer.js.map