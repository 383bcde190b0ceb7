import { basename, dirname } from "node:path";
import type { BatchTokens } from "../../batch-file/batch-tokens.js";
import type { TokenEntries } from "../../batch-file/token-texts.js";
import { ApiError } from "../../http/errors.js";
import { runInSlices, Slices } from "../../support/async/run-steps.js";
import { type FileAccess, LOCAL_FILES } from "../../support/file-access.js";
import { TranscriptError } from "../../transcript/errors.js";
import type { BatchLine, EpisodeLine, EpisodeSummary, IndexLine, LinePosition } from "../../transcript/format.js";
import { Transcript } from "../../transcript/read-index.js";
import type { ImagePlace, Overview, SearchResult, TokenItems, TokenPlace, TokenRange, TokenSlice } from "../api.js";
import { ChangeFeed } from "../changes/change-feed.js";
import type { ChangePage } from "../changes/change-log.js";
import { BatchCache } from "../tokens/batch-cache.js";
import { EpisodeTokenReader } from "../tokens/episode-token-reader.js";
import { type EpisodeTokens, readTokenItems, readTokenSlice } from "../tokens/token-slice.js";
import { findImage } from "./find-image.js";
import type { OpenSource } from "./open-source.js";
import { RunMetrics } from "./run-metrics.js";
import { searchEpisodes } from "./search-episodes.js";
import { chooseTexts, loadNamed, type NamedModel, NO_TEXTS } from "./token-model.js";
import { type ListChange, TranscriptList } from "./transcript-list.js";

const POLL_MS = 500;
/** Tensor files that are looked for at the same time. */
const FILES_AT_ONCE = 16;

export interface TranscriptSourceOptions {
  /** Folder of the model whose tokenizer decodes tokens. Default: the job's, if it is still the same. */
  readonly model?: string | undefined;
  /** Notices for the user about the choice of the file. */
  readonly notices?: readonly string[];
  /** Default: the files of this machine. */
  readonly files?: FileAccess;
}

/** Episodes of a transcript file, which may still grow. */
export class TranscriptSource implements OpenSource {
  readonly #path: string;
  readonly #files: FileAccess;
  readonly #notices: readonly string[];
  readonly #model: Promise<NamedModel | undefined>;
  readonly #batches: BatchCache;
  #metrics: RunMetrics;
  #transcript: Transcript;
  /** Its revisions go on from those of the former file if another job replaces the file. */
  #list = new TranscriptList(1);
  readonly #feed: ChangeFeed<ListChange>;
  #texts = NO_TEXTS;
  #textsOf: string | undefined;
  readonly #readable = new Set<string>();
  /** Batches whose tensor files have not been found yet, by file. */
  readonly #unread = new Map<string, BatchLine>();
  /** The episode that was read last: a page asks for its tokens call by call. */
  #last: { readonly offset: number; readonly transcript: Transcript; readonly episode: EpisodeLine } | undefined;

  /** Resolves when the lines that the file had at first are read. */
  readonly #first: Promise<void>;

  private constructor(path: string, transcript: Transcript, options: TranscriptSourceOptions) {
    const { model, notices = [], files = LOCAL_FILES } = options;
    this.#path = path;
    this.#files = files;
    this.#transcript = transcript;
    this.#notices = notices;
    this.#batches = new BatchCache(files, dirname(path));
    this.#metrics = RunMetrics.ofTranscript(path, files);
    this.#model = loadNamed(model);
    // An error of the file system: the next request tries again and reports it.
    this.#feed = new ChangeFeed({
      read: (progress) => this.#readChanges(progress),
      log: () => this.#list.log,
      pollMilliseconds: POLL_MS,
    });
    this.#first = this.#feed.refresh().catch(() => undefined);
  }

  /**
   * Opens a transcript. It is read while the page loads; requests wait for it.
   *
   * @throws TranscriptError, ModelFolderError, or an error of the file system
   */
  static async open(path: string, options: TranscriptSourceOptions = {}): Promise<TranscriptSource> {
    const source = new TranscriptSource(path, await Transcript.openUnread(path, options.files), options);
    try {
      await source.#model;
      return source;
    } catch (error) {
      await source[Symbol.asyncDispose]();
      throw error;
    }
  }

  async overview(after = 0): Promise<Overview> {
    return this.#overview(await this.#feed.page(after));
  }

  async changes(after: number, signal: AbortSignal): Promise<Overview> {
    return this.#overview(await this.#feed.changes(after, signal));
  }

  async episode(index: number): Promise<EpisodeLine> {
    return this.#readEpisode(await this.#find(index));
  }

  tokens(range: TokenRange): Promise<TokenSlice> {
    return this.#withTokens(range.episode, (episode, tokens, entries) =>
      readTokenSlice(episode, range, tokens, entries),
    );
  }

  items(place: TokenPlace): Promise<TokenItems> {
    return this.#withTokens(place.episode, (episode, tokens, entries) =>
      readTokenItems(episode, place, tokens, entries),
    );
  }

  image({ episode, sha256 }: ImagePlace): Promise<Uint8Array> {
    return this.#withBatches(episode, (batches) => findImage(batches, sha256));
  }

  async search(text: string, signal: AbortSignal): Promise<SearchResult> {
    await this.#first;
    return searchEpisodes(this.#files, this.#path, this.#list.episodes, text, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#feed.settled();
    await this.#transcript[Symbol.asyncDispose]();
    await this.#batches[Symbol.asyncDispose]();
  }

  /** Calls `read` with an episode, its tokens and the vocabulary. The batches stay open until it has ended. */
  #withTokens<T>(
    index: number,
    read: (episode: EpisodeLine, tokens: EpisodeTokens, entries: TokenEntries | undefined) => Promise<T>,
  ): Promise<T> {
    return this.#withBatches(index, async (batches, summary) => {
      const episode = await this.#readEpisode(summary);
      return read(episode, new EpisodeTokenReader(episode, batches), await this.#texts.load());
    });
  }

  /** Calls `use` with the files of an episode's batch: one, or one per shard. They stay open until `use` has ended. */
  async #withBatches<T>(
    index: number,
    use: (batches: readonly BatchTokens[], summary: EpisodeSummary & LinePosition) => Promise<T>,
  ): Promise<T> {
    await this.#first;
    const summary = await this.#find(index);
    const lines = this.#list.batchesOf(summary);
    if (lines.length === 0)
      throw new ApiError("tokens_unavailable", "The episode is in no batch, so it has no tokens and no images.");
    const names = [...new Set(lines.map(({ file }) => file))];
    return this.#batches.use(names, async (batches) => {
      if (batches.length === 0) throw new ApiError("tokens_unavailable", `${names.join(", ")} cannot be read.`);
      return use(batches, summary);
    });
  }

  #overview(page: ChangePage<ListChange>): Overview {
    const { isIndexed, problems } = this.#transcript;
    const notices = [
      ...this.#notices,
      ...(isIndexed
        ? []
        : ["The index of the transcript is missing or older than the file, so the file was read instead."]),
      ...problems,
      ...this.#texts.notices,
    ];
    const isReadable = (file: string) => this.#readable.has(file);
    return this.#list.overview(page, { name: basename(this.#path), notices, isReadable });
  }

  async #find(index: number): Promise<EpisodeSummary & LinePosition> {
    if (!this.#list.episodes[index]) await this.#first;
    const found = this.#list.episodes[index];
    if (!found) throw new ApiError("not_found", `There is no episode ${index}.`);
    return found;
  }

  async #readEpisode(place: LinePosition): Promise<EpisodeLine> {
    const transcript = this.#transcript;
    const { offset } = place;
    if (this.#last?.transcript === transcript && this.#last.offset === offset) return this.#last.episode;
    try {
      const episode = await transcript.readEpisode(place);
      this.#last = { offset, transcript, episode };
      return episode;
    } catch (error) {
      if (!(error instanceof TranscriptError)) throw error;
      throw new ApiError("transcript_invalid", error.message, { cause: error });
    }
  }

  async #readChanges(progress: () => void): Promise<void> {
    const { replaced } = await this.#transcript.refresh((line) => this.#add(line, progress));
    if (replaced) {
      // While a new job starts, its file may be missing or have no first line.
      const next = await Transcript.openUnread(this.#path, this.#files).catch(() => undefined);
      if (!next) return;
      await this.#transcript[Symbol.asyncDispose]();
      this.#transcript = next;
      this.#list = new TranscriptList(this.#list.log.revision + 1);
      this.#metrics = RunMetrics.ofTranscript(this.#path, this.#files);
      this.#readable.clear();
      this.#unread.clear();
      await next.refresh((line) => this.#add(line, progress));
    }
    const metrics = await this.#metrics.readChanged();
    if (metrics) await runInSlices(this.#list.setMetrics(metrics));
    await this.#findFiles();
    const { run } = this.#list;
    const key = JSON.stringify([run?.model_path, run?.model_digest]);
    if (key === this.#textsOf) return;
    this.#textsOf = key;
    this.#texts = await chooseTexts(await this.#model, run);
  }

  #add(line: IndexLine, progress: () => void): void {
    this.#list.add(line);
    if (line.type === "batch") this.#unread.set(line.file, line);
    progress();
  }

  /** Looks for the tensor files that have not been found yet. */
  async #findFiles(): Promise<void> {
    const slices = new Slices();
    const batches = [...this.#unread.values()];
    for (let first = 0; first < batches.length; first += FILES_AT_ONCE) {
      await slices.pause();
      await Promise.all(batches.slice(first, first + FILES_AT_ONCE).map((batch) => this.#findFile(batch)));
    }
  }

  async #findFile(batch: BatchLine): Promise<void> {
    if (!(await this.#batches.find(batch.file))) return;
    this.#readable.add(batch.file);
    this.#unread.delete(batch.file);
    this.#list.touchBatch(batch);
  }
}
