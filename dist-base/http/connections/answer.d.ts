import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
declare module "fastify" {
    interface FastifyReply {
        /** The answer as its connection knows it; null if the request was injected. */
        answer: Answer | null;
    }
}
/** An answer that was cut because the server stopped or its client did not read it. */
export interface CutAnswer {
    /** Method and route. */
    readonly route: string;
    /** Bytes that the operating system has accepted, headers included. */
    readonly bytesSent: number;
    /** Size of the body; null if the answer is a stream. */
    readonly bytes: number | null;
    /** Sessions that the answer exports. Empty if it is no export. */
    readonly sessions: readonly string[];
}
/** Returns the first cut answers in the form for the log. */
export declare function listCut(answers: readonly CutAnswer[]): object[];
/** The answer to a request that was received. It is open until it is sent or its client disconnects. */
export declare class Answer {
    #private;
    sessions: readonly string[];
    /** The request's route is only for clients with a key. */
    readonly needsKey: boolean;
    constructor(request: FastifyRequest, reply: FastifyReply, needsKey: boolean);
    /**
     * Begins the answer. Call this once the earlier answers on the connection were sent.
     *
     * @param done called when this answer was sent or its client disconnected
     */
    begin(done: () => void): void;
    get request(): IncomingMessage;
    get requestComplete(): boolean;
    /**
     * True if nothing behind the request is read. Node handles a request to upgrade the connection as if it were none, but its parser
     * drops the bytes that came together with it.
     */
    get isLast(): boolean;
    get statusCode(): number;
    /** Calls `done` when the request was received completely. */
    onReceived(done: () => void): void;
    /** Closes the connection after this answer, and tells the client so if its headers were not sent yet. */
    closeAfter(): void;
    describe(): CutAnswer;
}
/** Records which sessions an answer exports, for the log of cut answers. */
export declare function noteExport({ answer }: FastifyReply, sessions: readonly string[]): void;
/**
 * Returns how many bytes of a connection the operating system has accepted. Node's public `writableLength` counts a large
 * buffer as unsent until its last byte was accepted. The exact number is in the handle, which is not public.
 */
export declare function countAccepted(socket: Socket): number;
