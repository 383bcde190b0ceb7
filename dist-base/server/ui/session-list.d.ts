import type { Session } from "../../session/session.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import type { EpisodeLine, EpisodeSummary } from "../../transcript/format.js";
/** The sessions of a server as episodes, in the order in which they were started. */
export declare class SessionList {
    #private;
    constructor(registry: SessionRegistry);
    get revision(): number;
    /** Number of sessions whose data is on disk only. They are listed with their counts. */
    get onDisk(): number;
    sessions(): readonly Session[];
    /** Returns the position of the first episode that is new since a revision, and the episodes from there on. */
    since(revision: number): {
        readonly first: number;
        readonly episodes: readonly EpisodeSummary[];
    };
    /** Looks for sessions if it never has. */
    load(): Promise<void>;
    /** Looks for changes. Calls that come together share one look. */
    refresh(): Promise<void>;
}
/** Returns the episode of a session, with its texts. Its data must be loaded and held. */
export declare function readEpisode(session: Session, task: number): Promise<EpisodeLine>;
