/**
 * A field that objects carry for those who know it. It is in no copy, list of keys or JSON of its object.
 *
 * Use it instead of a WeakMap for objects that live as long as a call. V8's collections of young objects keep all values of a WeakMap
 * that is old, so each of them would stay until a collection of the whole heap.
 */
export interface HiddenField<Carrier extends object, Value> {
    /** Returns undefined if the object does not have the field. */
    get(carrier: Carrier): Value | undefined;
    set(carrier: Carrier, value: Value): void;
}
export declare function createHiddenField<Carrier extends object, Value>(): HiddenField<Carrier, Value>;
