import type { PreparedMessages } from "../../session/completed-call.js";
import type { ModelCall } from "./model-call.js";
/**
 * Returns a digest of everything that decides the answer to a request. A retry by an SDK has the same digest. A side call with
 * the same messages but other tools or sampling has another one.
 */
export declare function computeRequestKey({ api, request }: ModelCall, { digests, toolsKey, templateArgs }: PreparedMessages): string;
