import type { CompletedCall } from "./completed-call.js";
import type { RecordedCall } from "./encode-facts.js";
/** Returns the facts of a completed call that are recorded besides its tokens and messages. */
export declare function pickCallFacts(call: CompletedCall, createdAt: number): RecordedCall;
