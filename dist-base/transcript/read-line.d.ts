import type { FileHandle } from "node:fs/promises";
import type { z } from "zod";
import type { Place, TranscriptLine } from "./format.js";
/** Maximum bytes of a line that is read. The writer leaves the messages of longer episodes out. */
export declare const MAX_LINE_BYTES: number;
/**
 * Reads one line of a transcript.
 *
 * @param maxBytes maximum length of the line in bytes
 * @throws TranscriptError `line_too_long` or `invalid_line`
 */
export declare function readLine(file: FileHandle, place: Place, maxBytes?: number): Promise<TranscriptLine>;
/**
 * Parses and checks a line.
 *
 * @param isValid a faster check than that of the schema. If it fails, the schema decides.
 * @throws TranscriptError `invalid_line`
 */
export declare function parseLine<T>(bytes: Uint8Array, offset: number, schema: z.ZodType<T>, isValid?: (value: unknown) => value is T): T;
export declare const LINE_FEED = 10;
/** Reads `length` bytes, fewer at the end of the file. */
export declare function readBytes(file: FileHandle, offset: number, length: number): Promise<Buffer>;
