/** A constructor that returns another object lets subclasses add private fields to it. */
class Returned {
    constructor(carrier) {
        // biome-ignore lint/correctness/noConstructorReturn: see above
        return carrier;
    }
}
export function createHiddenField() {
    return class Carried extends Returned {
        #value;
        constructor(carrier, value) {
            super(carrier);
            this.#value = value;
        }
        static get(carrier) {
            return #value in carrier ? carrier.#value : undefined;
        }
        static set(carrier, value) {
            if (#value in carrier)
                carrier.#value = value;
            else
                new Carried(carrier, value);
        }
    };
}
//# sourceMappingURL=hidden-field.js.map