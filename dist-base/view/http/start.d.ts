import type { OpenSource } from "../sources/open-source.js";
import type { PageFiles } from "./page-files.js";
export interface RunningViewer {
    /** Address that opens the page, once. */
    readonly url: string;
    /** Stops the server and closes the source. */
    close(): Promise<void>;
}
/** Serves a source on the loopback interface. Resolves when the page can be opened. */
export declare function startViewer(source: OpenSource, page: PageFiles, port: number): Promise<RunningViewer>;
