/** Writes a server-sent event without a name, as in OpenAI's chat completions. */
export function dataEvent(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Writes a server-sent event that is named after its `type`. */
export function typedEvent(value: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
}

/** A comment, which clients ignore. */
export const KEEP_ALIVE_COMMENT = ": keep-alive\n\n";
