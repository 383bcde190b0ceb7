import { ApiError } from "../../http/errors.js";
import type { ChatModel } from "../../model/chat-model.js";
import type { BatchOrigin } from "../../session/batch/batch-metadata.js";
import type { Session } from "../../session/session.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import { Slices } from "../../support/async/run-steps.js";
import type { Steps } from "../../support/async/steps.js";
import type { EpisodeLine } from "../../transcript/format.js";
import type {
  ImagePlace,
  Overview,
  SearchResult,
  Source,
  TokenItems,
  TokenPlace,
  TokenRange,
  TokenSlice,
} from "../../view/api.js";
import { toColumns } from "../../view/columns.js";
import { episodeContains, SEARCH_MS } from "../../view/search.js";
import { EpisodeTokenReader } from "../../view/tokens/episode-token-reader.js";
import { type EpisodeTokens, readTokenItems, readTokenSlice } from "../../view/tokens/token-slice.js";
import { readEpisode, readImage } from "./session-episode.js";
import { type EpisodePage, SessionList } from "./session-list.js";
import { SessionTokens } from "./session-tokens.js";
import { tokenEntries } from "./token-entries.js";

export interface SessionSourceOptions {
  readonly registry: SessionRegistry;
  readonly model: ChatModel;
  readonly origin: BatchOrigin;
}

/** The sessions that a server has, as episodes: active, ended, and exported but retained. */
export class SessionSource implements Source {
  readonly #registry: SessionRegistry;
  readonly #list: SessionList;
  readonly #tokens: SessionTokens;
  readonly #entries: ReturnType<typeof tokenEntries>;
  readonly #run: Overview["run"];

  constructor({ registry, model, origin }: SessionSourceOptions) {
    this.#registry = registry;
    this.#list = new SessionList(registry);
    this.#tokens = new SessionTokens(origin);
    this.#entries = tokenEntries(model);
    this.#run = {
      type: "run",
      format: 1,
      started_at: Date.now() / 1000,
      model: origin.model,
      model_digest: origin.modelDigest,
    };
  }

  async overview(after = 0): Promise<Overview> {
    return this.#overview(await this.#list.page(after));
  }

  async changes(after: number, signal: AbortSignal): Promise<Overview> {
    return this.#overview(await this.#list.changes(after, signal));
  }

  async episode(index: number): Promise<EpisodeLine> {
    return this.#withData(this.#find(index), (session) => readEpisode(session, index));
  }

  async tokens(range: TokenRange): Promise<TokenSlice> {
    return this.#withTokens(range.episode, (episode, tokens) => readTokenSlice(episode, range, tokens, this.#entries));
  }

  async items(place: TokenPlace): Promise<TokenItems> {
    return this.#withTokens(place.episode, (episode, tokens) => readTokenItems(episode, place, tokens, this.#entries));
  }

  async image({ episode, sha256 }: ImagePlace): Promise<Uint8Array> {
    return this.#withData(this.#find(episode), async (session) => readImage(session, sha256));
  }

  /** Searches the sessions in memory, newest first. */
  async search(text: string, signal: AbortSignal): Promise<SearchResult> {
    const until = performance.now() + SEARCH_MS;
    const wanted = text.toLowerCase();
    const found: number[] = [];
    const slices = new Slices();
    const sessions = await slices.run(listSessions(this.#registry));
    let areAllInMemory = true;
    for (let at = sessions.length - 1; at >= 0; at--) {
      await slices.pause();
      signal.throwIfAborted();
      if (performance.now() > until) return { episodes: found.toReversed(), complete: false };
      const session = sessions[at];
      if (!session || session.lifecycle.freed) continue;
      const index = this.#registry.numberOf(session) ?? -1;
      if (!session.isLoaded) {
        areAllInMemory = false;
        continue;
      }
      const episode = await this.#withData(session, (held) => readEpisode(held, index)).catch(() => undefined);
      if (episode && episodeContains(episode, wanted)) found.push(index);
    }
    return { episodes: found.toReversed(), complete: areAllInMemory };
  }

  #overview({ episodes, ...page }: EpisodePage): Overview {
    const { onDisk } = this.#list;
    const notice = `${onDisk} sessions are on disk only: their counts are shown, and their rewards and turns when they are opened.`;
    return {
      ...page,
      name: "sessions",
      run: this.#run,
      batches: [],
      steps: [],
      metrics: [],
      episodes: toColumns(episodes),
      notices: onDisk > 0 ? [notice] : [],
    };
  }

  #find(index: number): Session {
    const session = this.#registry.byNumber(index);
    if (!session || session.lifecycle.freed) throw new ApiError("not_found", `There is no episode ${index}.`);
    return session;
  }

  /** Calls `read` with a session as an episode, and with its tokens. */
  #withTokens<T>(index: number, read: (episode: EpisodeLine, tokens: EpisodeTokens) => Promise<T>): Promise<T> {
    return this.#withData(this.#find(index), async (session) => {
      const episode = await readEpisode(session, index);
      const batch = await this.#tokens.read(session);
      if (!batch) throw new ApiError("tokens_unavailable", `Session ${session.id} has no calls yet.`);
      return read(episode, new EpisodeTokenReader(episode, [batch]));
    });
  }

  /** Reads the session's data from disk if necessary, and keeps it in memory meanwhile. */
  async #withData<T>(session: Session, use: (session: Session) => Promise<T>): Promise<T> {
    session.data.hold();
    try {
      await this.#registry.wake(session);
      return await use(session);
    } finally {
      session.data.release();
    }
  }
}

function* listSessions(registry: SessionRegistry): Steps<Session[]> {
  const sessions: Session[] = [];
  for (const session of registry.all()) {
    sessions.push(session);
    yield;
  }
  return sessions;
}
