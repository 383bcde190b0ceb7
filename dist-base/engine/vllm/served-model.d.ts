import type { ServerConnections } from "../servers/wire/connections.js";
/** A model in a server's `/v1/models`. */
export interface ServedModel {
    readonly name: string;
    /** Limit of prompt and output tokens together. */
    readonly contextLength: number | undefined;
}
/**
 * Asks a server for a model.
 *
 * @param name the model to find; if undefined, the first one that is not an adapter of another
 */
export declare function askServedModel(server: ServerConnections, name: string | undefined): Promise<ServedModel>;
export declare function findServedModel(body: string, name: string | undefined): ServedModel | undefined;
