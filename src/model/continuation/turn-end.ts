import { STAND_IN_TEXT } from "./stand-in.js";

/** A model's tokens that can end turns. */
export interface TurnTokens {
  /** Spellings of the tokens that end a turn, by id. */
  readonly stops: ReadonlyMap<number, string>;
  /** Returns the added token with which a text begins. */
  addedTokenAt(text: string): string | undefined;
}

/** How a template ends a turn once another message follows it. */
export interface TurnEnd {
  /** Text that the template writes between the model's output and the end: closing brackets, a newline. */
  readonly before: string;
  /** The token that ends the turn in the template's rendering. */
  readonly token: string;
  /** The token with which the model ends the turn. The template may later write another one. */
  readonly modelToken: string;
}

/**
 * Finds the token that ends a turn: the first stop token in the text between the marker and the next message's text. Some
 * models (GLM) stop at the header of the next message.
 *
 * @param followed the text after the marker if a stand-in message follows
 * @param renderClosed renders the text after the marker if the turn is the last message
 */
export function findTurnEnd(
  followed: string,
  renderClosed: () => string | undefined,
  tokens: TurnTokens,
): TurnEnd | undefined {
  const own = firstStop(followed.slice(0, Math.max(0, followed.indexOf(STAND_IN_TEXT))), tokens);
  if (own !== undefined) return { before: followed.slice(0, own.index), token: own.token, modelToken: own.token };
  // gpt-oss ends its last turn with <|return|>, and writes <|end|> in its place once the conversation goes on.
  const closed = renderClosed();
  const last = closed === undefined ? undefined : firstStop(closed, tokens);
  if (closed === undefined || last === undefined || !followed.startsWith(closed.slice(0, last.index))) return undefined;
  const token = tokens.addedTokenAt(followed.slice(last.index));
  return token === undefined ? undefined : { before: closed.slice(0, last.index), token, modelToken: last.token };
}

function firstStop(text: string, tokens: TurnTokens): { readonly index: number; readonly token: string } | undefined {
  let first: { readonly index: number; readonly token: string } | undefined;
  for (const token of tokens.stops.values()) {
    const index = text.indexOf(token);
    if (index >= 0 && (first === undefined || index < first.index)) first = { index, token };
  }
  return first;
}
