import { open, rename, rm } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ApiError } from "../../http/errors.js";
import type { Overview, Source } from "../api.js";
import { type EmbeddedOverview, episodeBlock, imageBlock, OVERVIEW_BLOCK, tokensBlock } from "../embedded-format.js";
import { ViewError } from "../errors.js";
import type { PageFiles } from "../http/page-files.js";
import { embedTokens } from "./embed-tokens.js";
import { ImageList, type ListedImage } from "./image-list.js";
import { inlinePage } from "./inline-page.js";

export const DEFAULT_MAX_BYTES = 50_000_000;

/** Size and content of a written HTML file. */
export interface WrittenHtml {
  readonly bytes: number;
  /** Numbers of episodes: listed, with messages, with tokens. */
  readonly episodes: number;
  readonly readable: number;
  readonly withTokens: number;
  /** Number of image files. */
  readonly images: number;
}

/** Bytes reserved for the notices that say what was left out. */
const NOTICE_BYTES = 2000;

/**
 * Writes everything that a source has into one HTML file, which only its owner may read. If it does not fit, the images of the longest
 * episodes are left out first, then the tokens of the longest episodes, and then their messages. The overview lists all episodes.
 *
 * @throws ViewError if not even the overview fits
 */
export async function writeHtml(
  path: string,
  source: Source,
  page: PageFiles,
  maxBytes = DEFAULT_MAX_BYTES,
): Promise<WrittenHtml> {
  const pages = await readPages(source);
  const { before, after } = inlinePage(page);
  const fixed = Buffer.byteLength(before) + Buffer.byteLength(after);
  const budget = new Budget(maxBytes - fixed - NOTICE_BYTES);
  if (!budget.take(await toBlock(OVERVIEW_BLOCK, pages))) {
    const message = `--max-bytes must be larger: the page and the list of episodes alone do not fit into ${maxBytes} bytes.`;
    throw new ViewError("invalid_arguments", message);
  }
  const order = byLength(pages);
  // Shortest first, so that reading stops when the file is full.
  const shown = new ImageList();
  const episodes = await takeBlocks(order, budget, (index) => readEpisodeBlock(source, index, shown));
  const readable = order.slice(0, episodes.taken);
  const tokens = await takeBlocks(readable, budget, (index) => readTokensBlock(source, index, shown));
  const listed = new Set(readable);
  const wanted = [...shown].filter(({ episodes }) => [...episodes].some((episode) => listed.has(episode)));
  const images = await takeBlocks(wanted, budget, (image) => readImageBlock(source, image));
  const leftOut = [...describeLeftOut(order.length, episodes, tokens), ...describeLeftOutImages(wanted.length, images)];
  const notices = [...(pages.at(-1)?.notices ?? []), ...leftOut];
  const overview: EmbeddedOverview = pages.map((page) => ({ ...page, notices }));
  const first = await toBlock(OVERVIEW_BLOCK, overview);
  const blocks = [...episodes.blocks, ...tokens.blocks, ...images.blocks];
  const bytes = await writePrivate(path, [before, first, ...blocks, after]);
  return {
    bytes,
    episodes: order.length,
    readable: episodes.blocks.length,
    withTokens: tokens.blocks.length,
    images: images.blocks.length,
  };
}

async function readPages(source: Source): Promise<Overview[]> {
  const pages = [await source.overview()];
  for (let last = pages[0]; last?.more; pages.push(last)) last = await source.overview(last.revision);
  return pages;
}

/** Returns the indices of the episodes, those with the fewest tokens first. */
function byLength(pages: readonly Overview[]): number[] {
  const lengths = new Map<number, number>();
  for (const { episodes } of pages) {
    for (const [at, index] of episodes.index.entries())
      lengths.set(index, (episodes.prompt_tokens[at] ?? 0) + (episodes.completion_tokens[at] ?? 0));
  }
  return [...lengths].toSorted(([a, x], [b, y]) => x - y || a - b).map(([index]) => index);
}

class Budget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Returns false if the block does not fit. */
  take(block: string): boolean {
    if (block.length > this.#left) return false;
    this.#left -= block.length;
    return true;
  }
}

interface TakenBlocks {
  readonly blocks: readonly string[];
  /** Number of episodes or images that fit, counted from the first; those without data count, too. */
  readonly taken: number;
}

async function takeBlocks<T>(
  order: readonly T[],
  budget: Budget,
  read: (item: T) => Promise<string | undefined>,
): Promise<TakenBlocks> {
  const blocks: string[] = [];
  for (const [taken, item] of order.entries()) {
    const block = await read(item);
    if (block === undefined) continue;
    if (!budget.take(block)) return { blocks, taken };
    blocks.push(block);
  }
  return { blocks, taken: order.length };
}

async function readEpisodeBlock(source: Source, index: number, images: ImageList): Promise<string | undefined> {
  // If the line is damaged, the page lists the episode but cannot open it.
  const line = await source.episode(index).catch(ignoreApiError);
  if (!line) return undefined;
  images.addMessages(index, line);
  return toBlock(episodeBlock(index), line);
}

async function readTokensBlock(source: Source, index: number, images: ImageList): Promise<string | undefined> {
  const line = await source.episode(index).catch(ignoreApiError);
  const tokens = line && (await embedTokens(source, index, line).catch(ignoreApiError));
  if (!tokens) return undefined;
  images.addTokens(index, tokens);
  return toBlock(tokensBlock(index), tokens);
}

function ignoreApiError(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error;
}

/** The digest can be part of an id: the source has compared it with the file, so it is hexadecimal. */
async function readImageBlock(source: Source, { sha256, episodes }: ListedImage): Promise<string | undefined> {
  for (const episode of episodes) {
    const bytes = await source.image({ episode, sha256 }).catch(ignoreApiError);
    if (bytes) return writeBlock(imageBlock(sha256), Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }
  return undefined;
}

function describeLeftOutImages(all: number, { taken }: TakenBlocks): string[] {
  return taken < all ? [`${all - taken} of ${all} images did not fit into this file.`] : [];
}

function describeLeftOut(all: number, episodes: TakenBlocks, tokens: TakenBlocks): string[] {
  const closed = all - episodes.taken;
  const bare = episodes.taken - tokens.taken;
  return [
    ...(closed > 0
      ? [`The longest ${closed} of ${all} episodes did not fit into this file: they are only listed.`]
      : []),
    ...(bare > 0 ? [`The tokens of the longest ${bare} of ${all - closed} episodes did not fit into this file.`] : []),
  ];
}

const compress = promisify(gzip);

async function toBlock(id: string, value: unknown): Promise<string> {
  return writeBlock(id, await compress(JSON.stringify(value), { level: 9 }));
}

/** Returns a block as `embedded-format.ts` describes it. Base64 has no character that HTML could take for markup. */
const writeBlock = (id: string, bytes: Buffer): string =>
  `<script type="application/json" id="${id}">"${bytes.toString("base64")}"</script>\n`;

/** Writes a file whole or not at all, readable by its owner only. Returns its size. */
async function writePrivate(path: string, parts: readonly string[]): Promise<number> {
  const partial = `${path}.partial-${process.pid}`;
  try {
    await rm(partial, { force: true });
    const size = await writeNew(partial, parts);
    await rename(partial, path);
    return size;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function writeNew(path: string, parts: readonly string[]): Promise<number> {
  await using file = await open(path, "wx", 0o600);
  for (const part of parts) await file.writeFile(part);
  return (await file.stat()).size;
}
