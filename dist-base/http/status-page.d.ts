import type { FastifyReply, FastifyRequest } from "fastify";
/** Returns true if a browser asks. Agent programs that probe `/` accept any type and get JSON. */
export declare function wantsPage({ headers: { accept } }: FastifyRequest): boolean;
/** Sends the page of a server: version and state, which anybody may read. */
export declare function sendStatusPage(reply: FastifyReply, facts: {
    readonly version: string;
    readonly state: string;
    readonly hasViewer: boolean;
}): FastifyReply;
