/** A set of numbers in ascending order. Adding in ascending order and taking the first are fast. */
export declare class SortedNumbers {
    #private;
    get size(): number;
    add(number: number): void;
    /** Removes the first number for which `test` returns true, and returns it. */
    takeFirst(test: (number: number) => boolean): number | undefined;
    delete(number: number): void;
}
