import type { EngineFinish } from "../../../native/contract.js";
import { type GenerateCall } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";
import type { PauseHold } from "../pause/pause-hold.js";
/**
 * Why an engine cut a generation that may be resumed. `pause` and `version` are certain; `message` relies on the server's
 * own message.
 */
export type CutCause = "pause" | "version" | "message";
/** Remembers the pauses and the weight version when a request is sent, and later finds out what cut the request. */
export declare class CutWatch {
    #private;
    constructor(hold: PauseHold, call: GenerateCall);
    /**
     * Returns why the request was cut.
     *
     * @throws EngineError if neither a pause nor a weight update explains the cut: a new request would end in the same way
     */
    findCause(finish: EngineFinish, server: EngineServer): Promise<CutCause>;
}
