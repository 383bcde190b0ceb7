import type { Value } from "../values/value.js";
/** The variables of a block. A name that it does not have is looked up in the block around it. */
export declare class Scope {
    #private;
    constructor(variables?: ReadonlyMap<string, Value>, outer?: Scope);
    /** Returns a scope for a block inside this one. Variables set there are not seen outside. */
    inner(): Scope;
    get(name: string): Value | undefined;
    set(name: string, value: Value): void;
}
