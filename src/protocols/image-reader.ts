import { hash } from "node:crypto";
import type { ImagePart } from "../conversation/content.js";
import { type ImageFile, ImageFileError, readImageFile } from "../conversation/image-file.js";
import type { ImageSource } from "../conversation/media.js";
import { groupDigits } from "../support/group-digits.js";
import { RequestError } from "./request-error.js";

/**
 * Limits of a request's images. Engines decode every image before they shrink it, so a small file with many pixels would take gigabytes of
 * their memory. Pillow, with which they decode, refuses only images of more than 179 megapixels.
 */
export const IMAGE_LIMITS = {
  /** Images of a request. An image that is repeated counts each time. */
  images: 100,
  /** Size of a file. */
  bytes: 20 * 1024 * 1024,
  /** Width times height, from the header of the file. */
  pixels: 64_000_000,
} as const;

/** The file of an image, and the digest by which conversations identify it. */
export interface HashedFile {
  /** See {@link ImagePart.sha256}. */
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** The images that a request names by address. */
export interface ImageUrls {
  /**
   * Returns the image at an http or https address; undefined if it was not fetched yet. The request must then be read again once it was.
   *
   * @param param path of the field with the address
   */
  find(url: string, param: string): HashedFile | undefined;
}

/** Images whose data was taken out of a request before it was parsed. */
export interface TakenImages {
  /** Returns the image that a stand-in represents; undefined for any other text. */
  find(text: string): HashedFile | undefined;
}

/** The images of a request whose data is not in its fields. */
export interface ImageSources {
  /** Absent: addresses are refused. */
  readonly imageUrls?: ImageUrls | undefined;
  readonly takenImages?: TakenImages | undefined;
}

/** Used for an image that was not fetched yet. The request is read again before it is used. */
const NOT_YET_FETCHED: ImagePart = { type: "image", sha256: "", mediaType: "", width: 1, height: 1 };

/** Reads the images of one request. */
export class ImageReader {
  readonly #sources: ImageSources;
  readonly #files = new Map<string, Uint8Array>();
  #count = 0;

  constructor(sources: ImageSources = {}) {
    this.#sources = sources;
  }

  /** The files of all images that were read, each once. */
  get files(): ReadonlyMap<string, Uint8Array> {
    return this.#files;
  }

  /**
   * Returns the image of a source, and adds its file to {@link files}.
   *
   * @param path path of the part that has the image
   * @throws RequestError if the image is sent in a form that is not allowed, is damaged or exceeds a limit
   */
  read(source: ImageSource, path: string): ImagePart {
    const param = `${path}.${source.field}`;
    if (++this.#count > IMAGE_LIMITS.images) {
      throw new RequestError(param, `${param}: a request can have at most ${IMAGE_LIMITS.images} images.`);
    }
    const file = this.#load(source, param);
    if (!file) return NOT_YET_FETCHED;
    const { sha256, bytes } = file;
    const facts = readFacts(bytes, param);
    if (!this.#files.has(sha256)) this.#files.set(sha256, bytes);
    return { type: "image", sha256, ...facts };
  }

  /** Returns undefined if the image must be fetched. */
  #load({ value, form }: ImageSource, param: string): HashedFile | undefined {
    if (form === "file_id") throw notData(param, "the server keeps no uploaded files.");
    const taken = typeof value === "string" ? this.#sources.takenImages?.find(value) : undefined;
    if (taken) return taken;
    if (form === "url" || (form === "data_url" && !mayBeDataUrl(value))) {
      const { imageUrls } = this.#sources;
      if (!imageUrls) throw notData(param, FETCHES_NONE);
      return imageUrls.find(requireWebAddress(value, form, param), param);
    }
    const base64 = form === "data_url" ? readDataUrl(value, param) : value;
    return hashFile(decode(base64, form === "any_base64", param));
  }
}

export function hashFile(bytes: Uint8Array): HashedFile {
  return { sha256: hash("sha256", bytes, "hex"), bytes };
}

const FETCHES_NONE = 'the server fetches none. Set rollout.agent.image_urls to "fetch" to have it fetch them.';

function notData(param: string, reason: string): RequestError {
  return new RequestError(param, `${param}: images must be sent as data, because ${reason}`, "unsupported_parameter");
}

function requireWebAddress(value: unknown, form: "url" | "data_url", param: string): string {
  if (typeof value === "string" && /^https?:\/\//i.test(value)) return value;
  const other = form === "data_url" ? "a data URL or " : "";
  throw new RequestError(param, `${param} must be ${other}an address that begins with http:// or https://.`);
}

const mayBeDataUrl = (value: unknown): boolean => typeof value !== "string" || value === "" || /^data:/i.test(value);

/** A media type and parameters may come before `;base64`. They are ignored, because the bytes of the file decide its type. */
const BASE64_HEAD = /^data:[^,]*;base64,/i;

/** Characters that are searched for the end of the head. */
const MAX_HEAD_LENGTH = 1024;

/** Returns the data of a URL as text. */
function readDataUrl(url: unknown, param: string): string {
  const text = typeof url === "string" ? url : "";
  const head = BASE64_HEAD.exec(text.slice(0, MAX_HEAD_LENGTH))?.[0];
  if (head === undefined) {
    throw new RequestError(param, `${param} must be a data URL in base64, such as "data:image/png;base64,iVBORw0K".`);
  }
  return text.slice(head.length);
}

/** @param anyAlphabet see {@link readBase64} */
function decode(base64: unknown, anyAlphabet: boolean, param: string): Uint8Array {
  if (typeof base64 !== "string" || base64 === "") {
    throw new RequestError(param, `${param} must contain the data of an image in base64.`);
  }
  const length = countBytes(base64);
  if (length > IMAGE_LIMITS.bytes) throw tooLarge(param, `${groupDigits(length)} bytes`, IMAGE_LIMITS.bytes);
  const file = readBase64(base64, anyAlphabet);
  if (!file) throw new RequestError(param, `${param} is not valid base64.`);
  return file;
}

/**
 * Returns the bytes of a text; undefined if it is not base64.
 *
 * @param anyAlphabet also accepts the URL-safe alphabet, and data without padding
 */
export function readBase64(base64: string, anyAlphabet = false): Uint8Array | undefined {
  const digits = countDigits(base64);
  const file = Buffer.from(base64, "base64");
  // Node.js skips characters that are not base64, so the file is then shorter. Of characters beyond Latin-1, it reads the low byte.
  const isValid =
    file.length === countBytes(base64) &&
    digits % 4 !== 1 &&
    Buffer.byteLength(base64) === base64.length &&
    (anyAlphabet || (base64.length % 4 === 0 && !base64.includes("-") && !base64.includes("_")));
  return isValid ? file : undefined;
}

const countBytes = (base64: string): number => Math.floor((countDigits(base64) * 3) / 4);

function countDigits(base64: string): number {
  return base64.length - (base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0);
}

function readFacts(file: Uint8Array, param: string): ImageFile {
  const facts = readFile(file, param);
  const { width, height } = facts;
  if (width * height > IMAGE_LIMITS.pixels) {
    throw tooLarge(param, `${width} x ${height} pixels`, IMAGE_LIMITS.pixels);
  }
  return facts;
}

function readFile(file: Uint8Array, param: string): ImageFile {
  try {
    return readImageFile(file);
  } catch (error) {
    if (!(error instanceof ImageFileError)) throw error;
    const problem = error.code === "damaged" ? "is a damaged image" : "is not an image that the model can see";
    throw new RequestError(param, `${param} ${problem}: ${error.message}.`);
  }
}

function tooLarge(param: string, received: string, allowed: number): RequestError {
  return new RequestError(param, `${param}: the image has ${received}; at most ${groupDigits(allowed)} are allowed.`);
}
