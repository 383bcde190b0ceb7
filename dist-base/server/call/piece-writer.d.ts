import type { ServerResponse } from "node:http";
import type { JsonText } from "../../protocols/long-json.js";
/** Called when the operating system has accepted a text, or with an error if it cannot be written. */
export type OnFlushed = (error: Error | null | undefined) => void;
export interface PieceWriterEvents {
    /** Called in a separate iteration of the event loop whenever there is room again. */
    readonly onRoom: () => void;
    /** Called if a text cannot be written. The response is closed. */
    readonly onError: (error: unknown) => void;
}
/**
 * Writes texts to a response in the order of the calls. Short texts are written at once. A long text is written in pieces, one in each
 * iteration of the event loop. A piece waits until the client has read most of the pieces before it.
 */
export declare class PieceWriter {
    #private;
    constructor(raw: ServerResponse, events: PieceWriterEvents);
    /** False while a long text is being written, or the client reads too slowly. */
    get hasRoom(): boolean;
    write(text: JsonText, onFlushed?: OnFlushed): void;
    /** Ends the response after all texts. */
    end(): void;
}
