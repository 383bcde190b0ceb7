import { getPriority, setPriority } from "node:os";
import { platform } from "node:process";
import { move, workerData } from "piscina";
import { IdBuffer } from "./id-buffer.js";
import { LibraryTokenizer } from "./library-tokenizer.js";
import { type PieceEncoder, pieceEncoderFor, TokenizerError, type TokenizerFiles } from "./piece-encoder.js";

/**
 * For every text the number of its ids, then the ids of all; or why they have none, since an error loses its class on
 * the way between threads.
 */
export type EncodeAnswer = Int32Array | { readonly refused: string };

let encoder: PieceEncoder | undefined;

// The event loop goes first where there are fewer processors than threads. Only Linux takes this for the one thread.
const NICER = 10;
const NICEST = 19;
if (platform === "linux") setPriority(Math.min(NICEST, getPriority() + NICER));

/** What a thread does: encodes texts. The ids are moved to the thread that asked, not copied. */
export function encode(texts: readonly string[]): EncodeAnswer {
  const pieces = (encoder ??= makeEncoder(JSON.parse(workerData as string) as TokenizerFiles));
  const counts = new Int32Array(texts.length);
  const ids = new IdBuffer();
  try {
    for (const [index, text] of texts.entries()) counts[index] = ids.push(pieces.encode(text));
  } catch (error) {
    if (error instanceof TokenizerError) return { refused: error.message };
    throw error;
  }
  const answer = new IdBuffer();
  answer.push(counts);
  answer.push(ids.ids());
  return move(answer.ids()) as Int32Array;
}

function makeEncoder(files: TokenizerFiles): PieceEncoder {
  let library: LibraryTokenizer | undefined;
  return pieceEncoderFor(files, () => (library ??= new LibraryTokenizer(files.tokenizer, files.config)));
}
