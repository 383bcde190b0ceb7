import { pyStr } from "./repr.js";
import { Markup, type Text, type Value } from "./value.js";

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&#34;"],
  ["'", "&#39;"],
]);

/** `markupsafe.escape(value)`: escapes text for HTML, unless it is markup already. */
export function escape(value: Value): string {
  return value instanceof Markup ? value.text : pyStr(value).replace(/[&<>"']/g, (c) => ENTITIES.get(c) ?? c);
}

/** Returns a text that was derived from `source`, as markup if `source` is markup. */
export function textLike(source: Value, text: string): Text {
  return source instanceof Markup ? new Markup(text) : text;
}
