/** The sources of worker addresses. All of them are used. */
export interface WorkerSources {
    readonly urls: readonly string[];
    /** A file with one URL per line. Text after a # is a comment. */
    readonly file?: string | undefined;
    /** A folder in which servers register. */
    readonly folder?: string | undefined;
}
export interface WorkerAddress {
    readonly url: string;
    /** Known if the worker registered in the folder. */
    readonly tag?: string | undefined;
}
/** Reads the addresses of workers. If a source cannot be read, its last addresses stay valid. */
export declare class WorkerAddresses {
    #private;
    constructor(sources: WorkerSources, report: (problem: string) => void);
    /** Returns the current addresses, each URL once. */
    read(): Promise<WorkerAddress[]>;
}
