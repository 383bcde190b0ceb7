import type { ParentMatch } from "../native/contract.js";
import type { PreparedMessages } from "./completed-call.js";
import type { InteractionLog } from "./interaction-log.js";
import type { OwnPart } from "./request-findings.js";
/** Returns the part of a request that its interaction keeps. It is compared with a parent only once. */
export declare function readOwnPart(log: InteractionLog, request: PreparedMessages, parent: ParentMatch | undefined): OwnPart;
