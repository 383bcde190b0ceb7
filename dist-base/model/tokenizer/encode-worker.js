import { getPriority, setPriority } from "node:os";
import { platform } from "node:process";
import { move, workerData } from "piscina";
import { IdBuffer } from "./id-buffer.js";
import { LibraryTokenizer } from "./library-tokenizer.js";
import { createPieceEncoder, TokenizerError } from "./piece-encoder.js";
let encoder;
// Gives the event loop priority if there are fewer processors than threads. Only Linux applies this to a single thread.
const NICER = 10;
const NICEST = 19;
if (platform === "linux")
    setPriority(Math.min(NICEST, getPriority() + NICER));
/** Encodes texts in a thread. The ids are moved to the calling thread, not copied. */
export function encode(texts) {
    const pieces = (encoder ??= makeEncoder(JSON.parse(workerData)));
    const counts = new Int32Array(texts.length);
    const ids = new IdBuffer();
    try {
        for (const [index, text] of texts.entries())
            counts[index] = ids.push(pieces.encode(text));
    }
    catch (error) {
        if (error instanceof TokenizerError)
            return { refused: error.message };
        throw error;
    }
    const answer = new IdBuffer();
    answer.push(counts);
    answer.push(ids.ids());
    return move(answer.ids());
}
function makeEncoder(files) {
    let library;
    return createPieceEncoder(files, () => (library ??= new LibraryTokenizer(files.tokenizer, files.config)));
}
//# sourceMappingURL=encode-worker.js.map