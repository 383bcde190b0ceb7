/** The result of the demo. The report is read back from the batch, as a trainer would read it. */
export interface DemoResult {
    /** A safetensors file. */
    readonly batch: Uint8Array;
    readonly file: string;
    /** Own reward of each episode's last turn. */
    readonly rewards: readonly number[];
    readonly discount: number;
    readonly seconds: number;
}
/** Returns the text that the demo prints. */
export declare function describeDemo(result: DemoResult): string;
