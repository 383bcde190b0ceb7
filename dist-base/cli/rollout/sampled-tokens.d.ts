/** Counts the tokens that the engines of a proxy have sampled since the start, from the proxy's metrics. */
export declare class SampledTokens {
    #private;
    private constructor();
    /** Reads the current counts, and counts from there. */
    static start(url: string): Promise<SampledTokens>;
    /** Number of sampled tokens at the last {@link refresh}, including those of workers that have died. */
    get count(): number;
    /** Average since the start, at the last {@link refresh}. */
    get perSecond(): number;
    refresh(): Promise<void>;
}
