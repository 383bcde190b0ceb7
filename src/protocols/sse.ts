/** One server-sent event without a name, as OpenAI's chat completions have them. */
export function dataEvent(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** One server-sent event that is named after its `type`. */
export function typedEvent(value: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
}

/** A comment, which clients skip. */
export const KEEP_ALIVE_COMMENT = ": keep-alive\n\n";
