import type { App } from "../../http/app-type.js";
import type { Source } from "../api.js";
import type { PageFiles } from "./page-files.js";
export interface Viewer {
    readonly app: App;
    /** Path that opens the page, once. */
    readonly firstPath: string;
}
/** Creates the viewer as a Fastify application that does not listen yet. */
export declare function createViewer(source: Source, page: PageFiles): Promise<Viewer>;
