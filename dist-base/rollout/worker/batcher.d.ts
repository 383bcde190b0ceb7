/** Sends items together: all that come during a pause, or while a call is under way, share the next one. */
export declare class Batcher<Item, Result> {
    #private;
    /**
     * @param send resolves with one result for each item
     * @param limit maximum number of items of one call
     * @param pause returns the milliseconds that the first item waits for others
     */
    constructor(send: (items: readonly Item[]) => Promise<readonly Result[]>, limit: number, pause?: () => number);
    add(item: Item): Promise<Result>;
}
