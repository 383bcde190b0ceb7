/** Options of `rolltape view`. */
export interface ViewCommandOptions {
    readonly model?: string;
    readonly port?: number;
    readonly html?: string;
    readonly maxBytes?: number;
}
/** `rolltape view`: serves the episodes of a file, folder or server to a browser on this machine, until a signal stops it. */
export declare function view(target: string, options: ViewCommandOptions): Promise<void>;
