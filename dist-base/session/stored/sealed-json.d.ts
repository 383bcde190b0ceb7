import { type Steps } from "../../support/async/steps.js";
/** Returns a value as JSON, preceded by a checksum. */
export declare const sealJson: (value: unknown) => Buffer;
/** Returns the value that {@link sealJson} sealed. Throws if the bytes are damaged. */
export declare const openJson: (sealed: Buffer) => unknown;
/** Returns a text in UTF-8, preceded by its checksum (CRC-32, 4 bytes). */
export declare function sealText(text: string): Buffer;
/** Like {@link sealText} for the pieces of a long text, one in each step. */
export declare function sealPieces(pieces: Iterable<string>): Steps<Buffer>;
/** Returns the text that {@link sealText} sealed. Throws if the bytes are damaged. */
export declare function openText(sealed: Buffer): string;
/** Returns the UTF-8 of the text that {@link sealText} sealed, as a view. Throws if the bytes are damaged. */
export declare function openBytes(sealed: Buffer): Steps<Buffer>;
