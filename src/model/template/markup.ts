import type { Value } from "./jinja.js";
import { pyStr } from "./python-text.js";
import { Markup, str } from "./values.js";

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&#34;"],
  ["'", "&#39;"],
]);

/** `markupsafe.escape(value)`: text for HTML, unless it is already that. */
export function escape(value: Value): string {
  const text = pyStr(value);
  return value instanceof Markup ? text : text.replace(/[&<>"']/g, (c) => ENTITIES.get(c) ?? c);
}

/** A text that comes from `source`: markup if that was markup. */
export function textLike(source: Value, text: string): Value {
  return source instanceof Markup ? new Markup(text) : str(text);
}

/** Arguments of a method on markup are escaped before they enter it. */
export function argumentText(owner: Value, argument: Value): string {
  return owner instanceof Markup ? escape(argument) : pyStr(argument);
}
