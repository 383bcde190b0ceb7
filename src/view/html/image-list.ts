import { listParts } from "../../conversation/content.js";
import type { EpisodeLine } from "../api.js";
import type { EmbeddedTokens } from "../embedded-format.js";

/** An image, and the episodes that show it. Some of them may lack its file: a rejected episode is in no batch. */
export interface ListedImage {
  readonly sha256: string;
  readonly episodes: ReadonlySet<number>;
}

/** The images of episodes, each once, in the order in which they were added. */
export class ImageList implements Iterable<ListedImage> {
  readonly #images = new Map<string, Set<number>>();

  /** Adds the images of messages. */
  addMessages(episode: number, { interactions }: EpisodeLine): void {
    for (const { messages, answer } of interactions) {
      for (const part of [...messages, answer].flatMap(({ content }) => listParts(content))) {
        if (part.type === "image") this.#add(episode, part.sha256);
      }
    }
  }

  /** Adds the images among tokens. Episodes of a tensor file without a transcript have no messages. */
  addTokens(episode: number, { interactions }: EmbeddedTokens): void {
    for (const interaction of interactions) {
      for (const { sha256 } of interaction?.images ?? []) this.#add(episode, sha256);
    }
  }

  *[Symbol.iterator](): Iterator<ListedImage> {
    for (const [sha256, episodes] of this.#images) yield { sha256, episodes };
  }

  #add(episode: number, sha256: string): void {
    const known = this.#images.get(sha256);
    if (known) known.add(episode);
    else this.#images.set(sha256, new Set([episode]));
  }
}
