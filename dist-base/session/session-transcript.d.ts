import type { Steps } from "../support/async/steps.js";
import type { WrittenTranscript } from "../transcript/json-pieces.js";
import type { Session } from "./session.js";
/**
 * Returns what a session has recorded by now, without tokens. Each step describes some interactions. The session must be loaded and
 * held.
 *
 * @param discount of the rewards, from 0 to 1
 * @throws SessionError if the tokens were freed, also while this runs; `reward_overflow` if a reward fits no float32
 */
export declare function describeSession(session: Session, discount: number): Steps<WrittenTranscript>;
