import type { OutputCursor, Step } from "../reader/output-cursor.js";

/** A function name outside of JSON. */
const NAME = /^[^\s<>{}()[\]"'`]{1,256}$/;

/** Returns the function name in a header, without white space around it; undefined if the text is not a name. */
export function parseCallName(text: string): string | undefined {
  const name = text.trim();
  return NAME.test(name) ? name : undefined;
}

/** Reads text up to the first of these markers, which is not taken. Undefined if the output ends before one comes. */
export function* readUpTo(
  reader: OutputCursor,
  markers: readonly string[],
): Step<{ readonly text: string; readonly marker: string } | undefined> {
  let text = "";
  const marker = yield* reader.until(reader.markers(markers), (part) => {
    text += part;
  });
  return marker === undefined ? undefined : { text, marker };
}
