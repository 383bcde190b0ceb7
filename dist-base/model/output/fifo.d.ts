/** A queue. Taking from the front has a constant cost; an array's `shift` moves all items. */
export declare class Fifo<T> {
    #private;
    get length(): number;
    /** The first item. */
    get next(): T | undefined;
    /** Returns the item at an index, counted from the first. */
    peek(index: number): T | undefined;
    push(item: T): void;
    shift(): T | undefined;
    /** Replaces the first item. */
    replaceNext(item: T): void;
}
