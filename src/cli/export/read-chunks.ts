import type { OpenFile } from "../../support/file-access.js";

/** Large, because sessions files have megabytes, and a chunk of a file in S3 takes a request. */
const CHUNK_BYTES = 8 << 20;

/** Yields the bytes of a file and closes it. */
export async function* readChunks(file: OpenFile): AsyncGenerator<Uint8Array> {
  try {
    const { size } = await file.stat();
    for (let position = 0; position < size; ) {
      const bytes = Buffer.alloc(Math.min(CHUNK_BYTES, size - position));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, position);
      // The file has become shorter. Whoever reads it finds that its end is missing.
      if (bytesRead === 0) return;
      yield bytes.subarray(0, bytesRead);
      position += bytesRead;
    }
  } finally {
    await file.close();
  }
}
