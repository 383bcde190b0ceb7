import { ApiError } from "../../http/errors.js";
import type { ChatModel } from "../../model/chat-model.js";
import type { Session } from "../../session/session.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import { sleep } from "../../support/async/sleep.js";
import type { EpisodeLine } from "../../transcript/format.js";
import type { Overview, SearchResult, Source, TokenRange, TokenSlice } from "../../view/api.js";
import { toColumns } from "../../view/columns.js";
import { episodeContains, SEARCH_MS } from "../../view/search.js";
import { RowTokens } from "../../view/tokens/row-tokens.js";
import { readTokenSlice } from "../../view/tokens/token-slice.js";
import { readEpisode, SessionList } from "./session-list.js";
import { SessionTokens } from "./session-tokens.js";
import { tokenEntries } from "./token-entries.js";

const WAIT_MS = 20_000;
const POLL_MS = 1000;

export interface SessionSourceOptions {
  readonly registry: SessionRegistry;
  readonly model: ChatModel;
  /** Name of the model that is served. */
  readonly modelName: string;
}

/** The sessions that a server has, as episodes: active, ended, and exported but retained. */
export class SessionSource implements Source {
  readonly #registry: SessionRegistry;
  readonly #list: SessionList;
  readonly #tokens = new SessionTokens();
  readonly #entries: ReturnType<typeof tokenEntries>;
  readonly #run: Overview["run"];

  constructor({ registry, model, modelName }: SessionSourceOptions) {
    this.#registry = registry;
    this.#list = new SessionList(registry);
    this.#entries = tokenEntries(model);
    this.#run = { type: "run", format: 1, started_at: Date.now() / 1000, model: modelName, model_digest: model.digest };
  }

  async overview(): Promise<Overview> {
    await this.#list.refresh();
    return this.#overview(-1);
  }

  async changes(after: number, signal: AbortSignal): Promise<Overview> {
    const until = performance.now() + WAIT_MS;
    await this.#list.refresh();
    while (after === this.#list.revision && performance.now() < until) {
      await sleep(POLL_MS, signal);
      await this.#list.refresh();
    }
    return this.#overview(after);
  }

  async episode(index: number): Promise<EpisodeLine> {
    return this.#withData(await this.#find(index), (session) => readEpisode(session, index));
  }

  async tokens(range: TokenRange): Promise<TokenSlice> {
    return this.#withData(await this.#find(range.episode), async (session) => {
      const episode = await readEpisode(session, range.episode);
      const batch = await this.#tokens.read(session);
      if (!batch) throw new ApiError("tokens_unavailable", `Session ${session.id} has no calls yet.`);
      return readTokenSlice(episode, range, new RowTokens(episode, [batch]), this.#entries);
    });
  }

  /** Searches the sessions in memory, newest first. */
  async search(text: string, signal: AbortSignal): Promise<SearchResult> {
    const until = performance.now() + SEARCH_MS;
    const wanted = text.toLowerCase();
    const found: number[] = [];
    await this.#list.load();
    const sessions = this.#list.sessions();
    for (let index = sessions.length - 1; index >= 0; index--) {
      signal.throwIfAborted();
      if (performance.now() > until) return { episodes: found.toReversed(), complete: false };
      const session = sessions[index];
      if (!session?.isLoaded || session.lifecycle.freed) continue;
      const episode = await this.#withData(session, (held) => readEpisode(held, index)).catch(() => undefined);
      if (episode && episodeContains(episode, wanted)) found.push(index);
    }
    return { episodes: found.toReversed(), complete: this.#list.onDisk === 0 };
  }

  #overview(after: number): Overview {
    const { first, episodes } = this.#list.since(after);
    const { onDisk } = this.#list;
    const notice = `${onDisk} sessions are on disk only: their counts are shown, and their rewards and turns when they are opened.`;
    return {
      name: "sessions",
      revision: this.#list.revision,
      run: this.#run,
      batches: [],
      steps: [],
      metrics: [],
      first,
      episodes: toColumns(episodes),
      notices: onDisk > 0 ? [notice] : [],
    };
  }

  async #find(index: number): Promise<Session> {
    await this.#list.load();
    const session = this.#list.sessions()[index];
    if (!session) throw new ApiError("not_found", `There is no episode ${index}.`);
    return session;
  }

  /** Reads the session's data from disk if necessary, and keeps it in memory meanwhile. */
  async #withData<T>(session: Session, use: (session: Session) => Promise<T>): Promise<T> {
    session.hold();
    try {
      await this.#registry.wake(session);
      return await use(session);
    } finally {
      session.release();
    }
  }
}
