/** An item's place in a {@link LinkedList}. */
export interface LinkedItem<Value> {
    readonly value: Value;
    /** @internal */
    previous: LinkedItem<Value> | undefined;
    /** @internal */
    next: LinkedItem<Value> | undefined;
}
/**
 * A list from which any item is removed in constant time. An array would have to search for the item. A Set that is emptied from
 * the front would visit the holes of removed items to find its first one.
 */
export declare class LinkedList<Value> {
    #private;
    get first(): LinkedItem<Value> | undefined;
    /** Adds a value at the end. */
    push(value: Value): LinkedItem<Value>;
    /** Moves an item of this list to the end. */
    moveToEnd(item: LinkedItem<Value>): void;
    /** Removes an item that is in this list. */
    remove(item: LinkedItem<Value>): void;
}
