import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
/** The answer that Node currently writes to a socket. The property is not public. */
interface AnsweringSocket extends Socket {
    readonly _httpMessage?: ServerResponse | null;
}
/**
 * Lets the answers to earlier requests end on a connection that Node has handed over with a CONNECT request. Node does not listen to
 * such a socket any more. Without this, a long answer would wait for `drain` forever, and a disconnect of the client would go unnoticed.
 */
export declare function keepAnswering(socket: AnsweringSocket): void;
export {};
