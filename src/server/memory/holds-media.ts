/** Fields of images, files and audio in which clients send their data, as base64 or as a data URL. */
const DATA_FIELDS: ReadonlySet<string> = new Set(["data", "url", "image_url", "file_data"]);

/** Minimum length of data, in characters. Shorter strings are addresses. */
const MIN_DATA_LENGTH = 2048;

/** Depth of the search. Parts of tool results are the deepest objects that have such data. */
const MAX_DEPTH = 8;

/** Returns true if an element of a conversation has the data of an image, a file or audio. The time does not depend on its length. */
export function holdsMedia(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value !== "object" || value === null || depth === 0) return false;
  if (Array.isArray(value)) return value.some((item) => typeof item === "object" && holdsMedia(item, depth - 1));
  for (const name in value) {
    const field = (value as Record<string, unknown>)[name];
    if (typeof field === "string") {
      if (field.length >= MIN_DATA_LENGTH && DATA_FIELDS.has(name)) return true;
    } else if (typeof field === "object" && holdsMedia(field, depth - 1)) return true;
  }
  return false;
}
