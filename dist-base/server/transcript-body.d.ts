import type { Session } from "../session/session.js";
import type { SessionRegistry } from "../session/session-registry.js";
/**
 * Returns the transcript of a session as JSON. The data of a session that is on disk only is read first.
 *
 * @throws SessionError `session_exported` or `session_expired` if the session's data was freed
 */
export declare function readTranscript(registry: SessionRegistry, session: Session, discount: number): Promise<Buffer>;
