import { SessionError } from "../../session/errors.js";
import { describeSession } from "../../session/session-transcript.js";
import { runInTurns } from "../../support/async/run-steps.js";
import { parseTools } from "../../transcript/json-pieces.js";
import { summarizeEpisode } from "../../transcript/summarize.js";
/** No discount: the rewards of a session's interactions are those that its whole tree earned. */
const DISCOUNT = 1;
/** The sessions of a server as episodes, in the order in which they were started. */
export class SessionList {
    #registry;
    #entries = [];
    /** Grows with each change, and from one process of a server to the next. */
    #revision = Date.now();
    /** Revision since which no session was removed. */
    #removedAt = this.#revision;
    #refreshing;
    constructor(registry) {
        this.#registry = registry;
    }
    get revision() {
        return this.#revision;
    }
    /** Number of sessions whose data is on disk only. They are listed with their counts. */
    get onDisk() {
        return this.#entries.filter(({ session }) => !session.isLoaded).length;
    }
    sessions() {
        return this.#entries.map(({ session }) => session);
    }
    /** Returns the position of the first episode that is new since a revision, and the episodes from there on. */
    since(revision) {
        const isStale = revision < this.#removedAt || revision > this.#revision;
        const changed = this.#entries.findIndex((entry) => isStale || entry.revision > revision);
        const first = isStale ? 0 : changed < 0 ? this.#entries.length : changed;
        return { first, episodes: this.#entries.slice(first).map(({ episode }) => episode) };
    }
    /** Looks for sessions if it never has. */
    async load() {
        if (this.#entries.length === 0)
            await this.refresh();
    }
    /** Looks for changes. Calls that come together share one look. */
    refresh() {
        this.#refreshing ??= this.#compare().finally(() => (this.#refreshing = undefined));
        return this.#refreshing;
    }
    async #compare() {
        const known = new Map(this.#entries.map((entry) => [entry.session, entry]));
        const next = this.#revision + 1;
        const entries = [];
        let isChanged = false;
        for (const session of this.#registry.all()) {
            if (session.lifecycle.freed)
                continue;
            const before = known.get(session);
            const state = describeState(session);
            if (before?.state === state)
                entries.push(before);
            else {
                isChanged = true;
                entries.push({ session, state, episode: await summarize(session, entries.length), revision: next });
            }
            known.delete(session);
        }
        const isShorter = known.size > 0;
        if (!isChanged && !isShorter)
            return;
        this.#entries = entries;
        this.#revision = next;
        if (isShorter)
            this.#removedAt = next;
    }
}
function describeState(session) {
    const { interactionCount, rewards, sessionReward } = session.summarize();
    // A new value of an earlier reward shows in the time of the call only.
    return [session.state, session.isLoaded, interactionCount, rewards, sessionReward, session.lastAccessAt].join(" ");
}
/** Returns the episode of a session, with its texts. Its data must be loaded and held. */
export async function readEpisode(session, task) {
    return toEpisode(parseTools(await runInTurns(describeSession(session, DISCOUNT))), task);
}
function toEpisode({ state: _state, ...transcript }, task) {
    const versions = transcript.interactions.flatMap((interaction) => interaction.versions?.[0] ?? []);
    const version = versions.reduce((oldest, each) => Math.min(oldest, each), versions[0] ?? 0);
    return { type: "episode", task, accepted: true, version, ...transcript };
}
async function summarize(session, task) {
    if (session.isLoaded) {
        session.hold();
        try {
            return summarizeEpisode(await readEpisode(session, task));
        }
        catch (error) {
            // The session was freed meanwhile, or its rewards cannot be summed up.
            if (!(error instanceof SessionError))
                throw error;
        }
        finally {
            session.release();
        }
    }
    return summarizeUnloaded(session, task);
}
/** Returns what is known of a session without its data. */
function summarizeUnloaded(session, task) {
    const { id, taskId, groupId, createdAt, sessionReward, interactionCount, promptTokens, completionTokens } = session;
    const { endedAt } = session.lifecycle;
    return {
        type: "episode",
        session_id: id,
        task,
        task_id: taskId,
        ...(groupId !== undefined && { group_id: groupId }),
        accepted: true,
        version: 0,
        started_at: createdAt / 1000,
        ...(endedAt !== undefined && { duration: (endedAt - createdAt) / 1000 }),
        reward: sessionReward ?? null,
        calls: interactionCount,
        turns: 0,
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        finish_reasons: {},
        broken: 0,
        left_out: 0,
        branches: 0,
    };
}
//# sourceMappingURL=session-list.js.map