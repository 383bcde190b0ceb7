export interface DemoOptions {
    /** The file to write the batch to. */
    readonly out: string;
}
/** `rolltape demo`: runs a dozen episodes with the tiny model and writes their batch. Progress goes to standard error. */
export declare function demo({ out }: DemoOptions): Promise<void>;
