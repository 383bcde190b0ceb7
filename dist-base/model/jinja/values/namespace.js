import { dictRepr } from "./repr.js";
import { PythonObject } from "./value.js";
/** The result of `namespace()`, the one value that templates can change: `{% set ns.name = … %}`. */
export class Namespace extends PythonObject {
    typeName = "Namespace";
    #entries;
    constructor(entries) {
        super();
        this.#entries = new Map(entries);
    }
    set(name, value) {
        this.#entries.set(name, value);
    }
    attribute(name) {
        return this.#entries.get(name);
    }
    repr() {
        return `<Namespace ${dictRepr(this.#entries)}>`;
    }
}
//# sourceMappingURL=namespace.js.map