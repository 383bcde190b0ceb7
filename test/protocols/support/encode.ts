import type { StreamEncoder } from "../../../src/protocols/stream-encoder.js";
import { readData } from "../../helpers/sse.js";
import type { Output } from "./random-outputs.js";
import { toText } from "./to-text.js";

/** Returns every event that an encoder writes for an output. */
export function encode<T>(encoder: StreamEncoder, { groups, answer }: Output): T[] {
  const pushed = groups.map((events) => encoder.push.bind(encoder, events, undefined));
  const texts = [encoder.start(answer), ...pushed.map((push) => push()), encoder.finish(answer)];
  const text = texts.map(toText).join(encoder.keepAlive);
  return readData<T>(text);
}

/** Returns events as one JSON value per line, which the SDKs can read like a file. */
export function asLines(events: readonly unknown[]): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
