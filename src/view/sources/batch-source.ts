import { basename } from "node:path";
import { BatchTokens } from "../../batch-file/batch-tokens.js";
import { ApiError } from "../../http/errors.js";
import { LOCAL_FILES } from "../../support/file-access.js";
import { TensorFile } from "../../support/safetensors/tensor-file.js";
import type { EpisodeLine, MetricsLine } from "../../transcript/format.js";
import { summarizeEpisode } from "../../transcript/summarize.js";
import type { ImagePlace, Overview, SearchResult, TokenItems, TokenPlace, TokenRange, TokenSlice } from "../api.js";
import { ChangeLog } from "../changes/change-log.js";
import { toColumns } from "../columns.js";
import { ViewError } from "../errors.js";
import { EpisodeTokenReader } from "../tokens/episode-token-reader.js";
import { readTokenItems, readTokenSlice } from "../tokens/token-slice.js";
import { type EpisodeTensors, readEpisodeTensors, toEpisode } from "./batch-episodes.js";
import { findImage } from "./find-image.js";
import type { OpenSource } from "./open-source.js";
import { RunMetrics } from "./run-metrics.js";
import { chooseTexts, loadNamed, type TextChoice } from "./token-model.js";
import type { TranscriptSourceOptions } from "./transcript-source.js";

/** Episodes of a tensor file without a transcript: one per session, with tokens and rewards but no messages. */
export class BatchSource implements OpenSource {
  readonly #path: string;
  readonly #batch: BatchTokens;
  readonly #tensors: EpisodeTensors;
  readonly #sessions: readonly string[];
  /** The positions of all sessions, so that they are listed page by page. */
  readonly #log = new ChangeLog<number>(1);
  readonly #texts: TextChoice;
  readonly #notices: readonly string[];
  readonly #metrics: readonly MetricsLine[];

  private constructor(
    path: string,
    batch: BatchTokens,
    tensors: EpisodeTensors,
    texts: TextChoice,
    { notices, metrics }: { readonly notices: readonly string[]; readonly metrics: readonly MetricsLine[] },
  ) {
    this.#metrics = metrics;
    this.#path = path;
    this.#batch = batch;
    this.#tensors = tensors;
    this.#sessions = [...batch.rows.sessions()];
    for (const index of this.#sessions.keys()) this.#log.add(index);
    this.#texts = texts;
    this.#notices = notices;
  }

  /** @throws ViewError, SafetensorsError, ModelFolderError, or an error of the file system */
  static async open(path: string, options: TranscriptSourceOptions = {}): Promise<BatchSource> {
    return BatchSource.read(path, await TensorFile.open(path), options);
  }

  /**
   * Like {@link open}, but reads an open file.
   *
   * @param path of the file, or its address
   */
  static async read(
    path: string,
    file: TensorFile,
    { model, notices = [], files = LOCAL_FILES }: TranscriptSourceOptions = {},
  ): Promise<BatchSource> {
    const batch = await BatchTokens.read(file);
    if (!batch) throw new ViewError("nothing_to_view", `${path} is not a batch of Rolltape.`);
    try {
      const { modelDigest: digest } = batch;
      const texts = await chooseTexts(await loadNamed(model), digest === undefined ? null : { model_digest: digest });
      const metrics = (await RunMetrics.ofBatch(path, files).readChanged()) ?? [];
      return new BatchSource(path, batch, await readEpisodeTensors(batch.file), texts, { notices, metrics });
    } catch (error) {
      await batch[Symbol.asyncDispose]();
      throw error;
    }
  }

  async overview(after = 0): Promise<Overview> {
    const { changes, ...page } = this.#log.page(after);
    const episodes = changes.map((index) => [index, summarizeEpisode(this.#episode(index))] as const);
    const file = basename(this.#path);
    return {
      ...page,
      name: file,
      run: null,
      batches: [{ number: 0, file, version: 0, at: 0, readable: true }],
      steps: [],
      metrics: this.#metrics,
      removed: [],
      episodes: toColumns(episodes, () => 0),
      notices: [
        "This is a tensor file without a transcript: it has tokens and rewards, but no messages.",
        ...this.#notices,
        ...this.#texts.notices,
      ],
    };
  }

  async episode(index: number): Promise<EpisodeLine> {
    return this.#episode(index);
  }

  async tokens(range: TokenRange): Promise<TokenSlice> {
    const episode = this.#episode(range.episode);
    return readTokenSlice(episode, range, new EpisodeTokenReader(episode, [this.#batch]), await this.#texts.load());
  }

  async items(place: TokenPlace): Promise<TokenItems> {
    const episode = this.#episode(place.episode);
    return readTokenItems(episode, place, new EpisodeTokenReader(episode, [this.#batch]), await this.#texts.load());
  }

  async image({ sha256 }: ImagePlace): Promise<Uint8Array> {
    return findImage([this.#batch], sha256);
  }

  async search(): Promise<SearchResult> {
    return { episodes: [], complete: true };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#batch[Symbol.asyncDispose]();
  }

  #episode(index: number): EpisodeLine {
    const session = this.#sessions[index];
    if (session === undefined) throw new ApiError("not_found", `There is no episode ${index}.`);
    return toEpisode(this.#batch, this.#tensors, session, index);
  }
}
