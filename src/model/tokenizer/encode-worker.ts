import { getPriority, setPriority } from "node:os";
import { platform } from "node:process";
import { move, workerData } from "piscina";
import { IdBuffer } from "./id-buffer.js";
import { LibraryTokenizer } from "./library-tokenizer.js";
import { createPieceEncoder, type PieceEncoder, TokenizerError, type TokenizerFiles } from "./piece-encoder.js";

/**
 * The number of ids of each text, followed by the ids of all texts. `refused` is the message of a TokenizerError, because
 * errors lose their class between threads.
 */
export type EncodeAnswer = Int32Array | { readonly refused: string };

let encoder: PieceEncoder | undefined;

// Gives the event loop priority if there are fewer processors than threads. Only Linux applies this to a single thread.
const NICER = 10;
const NICEST = 19;
if (platform === "linux") setPriority(Math.min(NICEST, getPriority() + NICER));

/** Encodes texts in a thread. The ids are moved to the calling thread, not copied. */
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
  return createPieceEncoder(files, () => (library ??= new LibraryTokenizer(files.tokenizer, files.config)));
}
