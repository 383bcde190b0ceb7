import { PythonObject, type Value } from "./value.js";
/** The result of `namespace()`, the one value that templates can change: `{% set ns.name = … %}`. */
export declare class Namespace extends PythonObject {
    #private;
    readonly typeName = "Namespace";
    constructor(entries: Iterable<readonly [string, Value]>);
    set(name: string, value: Value): void;
    attribute(name: string): Value | undefined;
    repr(): string;
}
