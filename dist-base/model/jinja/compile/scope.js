/** The variables of a block. A name that it does not have is looked up in the block around it. */
export class Scope {
    #variables;
    #outer;
    constructor(variables, outer) {
        this.#variables = new Map(variables);
        this.#outer = outer;
    }
    /** Returns a scope for a block inside this one. Variables set there are not seen outside. */
    inner() {
        return new Scope(undefined, this);
    }
    get(name) {
        return this.#variables.get(name) ?? this.#outer?.get(name);
    }
    set(name, value) {
        this.#variables.set(name, value);
    }
}
//# sourceMappingURL=scope.js.map