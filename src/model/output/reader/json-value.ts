import { JsonScanner } from "./json-scanner.js";
import type { OutputCursor, Step } from "./output-cursor.js";

/**
 * Reads white space and one JSON value, whose spelling does not change.
 *
 * @param onText takes the value's text as it arrives
 * @returns true if the value is complete; otherwise the next text is not JSON
 */
export function* readJsonValue(reader: OutputCursor, onText: (text: string) => void): Step<boolean> {
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

/** Reads a JSON string; undefined if something else comes next. */
export function* readJsonString(reader: OutputCursor): Step<string | undefined> {
  yield* reader.skipSpace();
  if ((yield* reader.peek()) !== '"') return undefined;
  let text = "";
  const isWhole = yield* readJsonValue(reader, (part) => {
    text += part;
  });
  return isWhole ? (JSON.parse(text) as string) : undefined;
}
