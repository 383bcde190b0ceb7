import type { EngineReply, ReplyFormat } from "../../../native/contract.js";
import type { ServerCall } from "../engine-server.js";
import type { ReplySink } from "./post.js";
/** Adds one reply to a call's generation: a stream piece by piece, any other body when it is complete. */
export declare class GenerationSink implements ReplySink {
    #private;
    /** @param version weight version of tokens for which the reply has none */
    constructor(call: ServerCall, format: ReplyFormat, version: number);
    begin(status: number, header: (name: string) => string): void;
    piece(bytes: Buffer): void;
    /** Ends the reply when its body is complete. @throws EngineError if the reply cannot be recorded */
    finish(): Promise<EngineReply>;
}
