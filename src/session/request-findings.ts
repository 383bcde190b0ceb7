import type { Message } from "../conversation/message.js";
import type { ParentMatch } from "../native/contract.js";
import type { Interaction } from "./interaction.js";

/** The part of a request that its interaction keeps. */
export interface OwnPart extends Pick<Interaction, "input" | "templateArgs"> {
  /** The messages of its parent that it repeats, as they are recorded. */
  readonly inherited: readonly Message[];
  /** Memory of the part that its parent does not have, in bytes. */
  readonly bytes: number;
}

/** The result of a search for the parent of a request. */
export interface FoundParent {
  readonly match: ParentMatch | undefined;
  /** How often the session's interactions had changed when the parent was searched for. */
  readonly changes: number;
}

/** Cached results for one request. Later steps of the call and its other choices reuse them. */
export class RequestFindings {
  /** Undefined until it was searched for, and if the result may depend on which answers reached the client. */
  parent: FoundParent | undefined;
  /** Undefined until it was searched for. */
  compaction: { readonly from: number | undefined } | undefined;
  /** The part in relation to `parent`. Undefined until it was read. */
  own: { readonly parent: ParentMatch | undefined; readonly part: OwnPart } | undefined;
}
