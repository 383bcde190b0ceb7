/** A request's text of at least this many characters takes a millisecond or more to parse or to render. */
export declare const LONG_TEXT: number;
/**
 * Admits one long piece of work per iteration of the event loop. Without this, requests that arrive together would all
 * be processed in one iteration, and everything else would wait for all of them.
 */
export declare class Turns {
    #private;
    /** Resolves in an iteration of its own, in the order of the calls. */
    next(): Promise<void>;
    /** Runs long work in an iteration of its own. What follows has another one. */
    alone<T>(work: () => Promise<T>): Promise<T>;
}
/** Shared by the whole process, which has one event loop. */
export declare const turns: Turns;
