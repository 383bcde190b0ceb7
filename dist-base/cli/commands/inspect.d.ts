export interface InspectOptions {
    /** Number of rows to list. */
    readonly rows?: number;
    /** A row to show as text. */
    readonly text?: number;
    /** Model folder whose tokenizer decodes the tokens. */
    readonly model?: string;
    readonly json?: boolean;
}
/** `rolltape inspect`: prints the content of a batch, or one row of it, on standard output. */
export declare function inspect(path: string, { rows, text, model, json }: InspectOptions): Promise<void>;
