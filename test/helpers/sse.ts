/** An event of a stream, as a client receives it. A comment is an event named ":". */
export interface ServerEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** Returns the events of a complete stream. */
export function readEvents(text: string): ServerEvent[] {
  return text
    .split("\n\n")
    .filter((block) => block !== "")
    .map((block) => {
      if (block.startsWith(":")) return { event: ":", data: block.slice(1).trim() };
      const lines = block.split("\n");
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      return { event: field("event"), data: field("data") ?? "" };
    });
}

/** Returns the data of the events, parsed as JSON, without `[DONE]` and comments. */
export function readData<T>(text: string): T[] {
  return readEvents(text)
    .filter(({ event, data }) => event !== ":" && data !== "[DONE]")
    .map(({ data }) => JSON.parse(data) as T);
}
