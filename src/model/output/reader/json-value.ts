import { JsonScanner } from "./json-scanner.js";
import type { OutputReader, Step } from "./reader.js";

/**
 * Reads one JSON value, the white space before it too, as it is spelled.
 *
 * @param onText takes the value's text as it comes
 * @returns whether it is whole; where it is not, what is no part of a JSON value comes next
 */
export function* readJsonValue(reader: OutputReader, onText: (text: string) => void): Step<boolean> {
  yield* reader.skipSpace();
  const scanner = new JsonScanner();
  while (scanner.state === "open") {
    if (!(yield* reader.ready()) || reader.text === "") {
      scanner.finish();
      break;
    }
    const end = scanner.scan(reader.text);
    if (end > 0) onText(reader.take(end));
  }
  return scanner.state === "done";
}

/** Reads a JSON string; undefined where there is none. */
export function* readJsonString(reader: OutputReader): Step<string | undefined> {
  yield* reader.skipSpace();
  if ((yield* reader.peek()) !== '"') return undefined;
  let text = "";
  const isWhole = yield* readJsonValue(reader, (part) => {
    text += part;
  });
  return isWhole ? (JSON.parse(text) as string) : undefined;
}
