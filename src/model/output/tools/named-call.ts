import type { OutputReader, Step } from "../reader/reader.js";

/** A function's name as models write it outside of JSON. */
const NAME = /^[^\s<>{}()[\]"'`]{1,256}$/;

/** The name that a header's text is, white space around it aside; undefined where it is none. */
export function callName(text: string): string | undefined {
  const name = text.trim();
  return NAME.test(name) ? name : undefined;
}

/** Reads text up to one of these markers, which comes next then; undefined where another of the format's does, or the end. */
export function* readUpTo(
  reader: OutputReader,
  markers: readonly string[],
): Step<{ readonly text: string; readonly marker: string } | undefined> {
  let text = "";
  const marker = yield* reader.until(reader.markers(markers), (part) => {
    text += part;
  });
  return marker === undefined ? undefined : { text, marker };
}
