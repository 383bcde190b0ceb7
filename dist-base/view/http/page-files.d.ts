/** A file of the page. */
export interface PageFile {
    readonly type: string;
    readonly content: Buffer;
}
/** The files of the page by name, `index.html` among them. */
export type PageFiles = ReadonlyMap<string, PageFile>;
/** Reads the built page. Throws if it was not built. */
export declare function readPageFiles(folders?: readonly URL[]): Promise<PageFiles>;
