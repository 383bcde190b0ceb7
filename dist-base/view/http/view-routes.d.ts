import type { App } from "../../http/app-type.js";
import type { Source } from "../api.js";
import type { PageFiles } from "./page-files.js";
export interface ViewRoutesOptions {
    readonly page: PageFiles;
    readonly source: Source;
    /** Beginning of all paths, such as `/ui`. Default: none. */
    readonly base?: string;
    /** Settings of the routes of the API, such as the key that they require. */
    readonly apiConfig?: object;
    /** Settings of the routes of the page's files. */
    readonly pageConfig?: object;
}
/** Registers the routes of the page's files and of its API. */
export declare function viewRoutes(app: App, options: ViewRoutesOptions): void;
