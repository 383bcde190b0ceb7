import type { IncomingMessage } from "node:http";
import type { App } from "./app-type.js";
/** Returns true if the client waits for `100 Continue` and did not receive it. It may never send its body. */
export declare function waitsForContinue(request: IncomingMessage): boolean;
/**
 * Sends `100 Continue` when the body is about to be read. Node would send it at once, and so ask for the body of a request that
 * is refused for its key or its size.
 */
export declare function continueLate(app: App): void;
