import type { RowImage } from "../../batch-file/batch-images.js";
import type { BatchTokens, SequenceTokens } from "../../batch-file/batch-tokens.js";
import type { EpisodeLine, TranscriptInteraction } from "../../transcript/format.js";
import type { InteractionChannels } from "./token-channels.js";
import type { EpisodeTokens } from "./token-slice.js";

/** A row that begins with all tokens of an interaction. */
interface FoundRow {
  readonly batch: BatchTokens;
  readonly row: number;
  /** False if it is the row of a descendant, as in batches of style `concat`. */
  readonly isOwn: boolean;
}

/** Reads the tokens of an episode from the files of its batch: one, or one per shard. */
export class EpisodeTokenReader implements EpisodeTokens {
  readonly #interactions: readonly TranscriptInteraction[];
  readonly #sessionId: string;
  readonly #batches: readonly BatchTokens[];
  #children: readonly (readonly number[])[] | undefined;

  constructor({ interactions, session_id: sessionId = "" }: EpisodeLine, batches: readonly BatchTokens[]) {
    this.#interactions = interactions;
    this.#sessionId = sessionId;
    this.#batches = batches;
  }

  async length(index: number): Promise<number | undefined> {
    const found = this.#find(index);
    if (!found) return undefined;
    const available = found.batch.length(found.row);
    return found.isOwn ? available : Math.min(available, sequenceLength(this.#interactions[index]));
  }

  async read(index: number, from: number, to: number): Promise<SequenceTokens> {
    const found = this.#find(index);
    if (!found) throw new RangeError(`Interaction ${index} has no row.`);
    return found.batch.read(found.row, from, to);
  }

  async temperature(index: number): Promise<number | undefined> {
    const found = this.#find(index);
    // A row of several turns has the temperature of the last one.
    return found?.isOwn ? found.batch.temperature(found.row) : undefined;
  }

  async images(index: number): Promise<readonly RowImage[]> {
    const found = this.#find(index);
    return found ? found.batch.readImages(found.row) : [];
  }

  channels(index: number): InteractionChannels | undefined {
    const found = this.#find(index);
    if (!found) return undefined;
    const { batch, row } = found;
    return {
      all: batch.channels,
      moeLayers: batch.moeLayers,
      readColumn: (channel, from, to) => batch.readColumn(row, channel, from, to),
      readItems: (channel, at, limit) => batch.readItems(row, channel, at, limit),
    };
  }

  /** Finds the interaction's own row, else that of the nearest descendant whose prompts continue it token-exactly. */
  #find(index: number): FoundRow | undefined {
    const queue = [index];
    const seen = new Set(queue);
    for (let i = 0; i < queue.length; i++) {
      const candidate = queue[i] ?? -1;
      const row = this.#findRow(candidate);
      if (row) return { ...row, isOwn: candidate === index };
      for (const child of this.#childrenOf(candidate)) {
        if (seen.has(child)) continue;
        seen.add(child);
        queue.push(child);
      }
    }
    return undefined;
  }

  #findRow(index: number): Omit<FoundRow, "isOwn"> | undefined {
    const { id } = this.#interactions[index] ?? {};
    if (id === undefined) return undefined;
    for (const batch of this.#batches) {
      const row = batch.rows.find(this.#sessionId, id);
      if (row !== undefined) return { batch, row };
    }
    return undefined;
  }

  /** Returns the children whose sequence begins with the whole sequence of the interaction. */
  #childrenOf(index: number): readonly number[] {
    this.#children ??= listExactChildren(this.#interactions);
    return this.#children[index] ?? [];
  }
}

function listExactChildren(interactions: readonly TranscriptInteraction[]): readonly (readonly number[])[] {
  const children: number[][] = interactions.map(() => []);
  interactions.forEach(({ parent, shared_tokens: shared }, index) => {
    const isExact = parent !== index && shared >= sequenceLength(interactions[parent]);
    if (isExact) children[parent]?.push(index);
  });
  return children;
}

function sequenceLength(interaction: TranscriptInteraction | undefined): number {
  return interaction ? interaction.prompt_tokens + interaction.completion_tokens : Number.POSITIVE_INFINITY;
}
