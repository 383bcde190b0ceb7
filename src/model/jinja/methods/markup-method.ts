import { itemsIn } from "../values/iterate.js";
import { escape } from "../values/markup.js";
import { type Callable, isList, isText, Markup, Tuple, type Value } from "../values/value.js";
import type { Method } from "./method.js";

/** Binds a method of `str` to markup. Text that the method inserts is escaped first; text that it returns is markup. */
export function markupMethod(self: Markup, name: string, method: Method<string>): Callable {
  return (args, keywords) => toMarkup(method(self.text, escapedArguments(name, args), keywords));
}

function escapedArguments(name: string, args: readonly Value[]): readonly Value[] {
  if (name === "join") return args.map((items) => itemsIn(items).map(escapedText));
  if (name === "replace") return args.map((arg, index) => (index === 1 ? escapedText(arg) : arg));
  return args;
}

const escapedText = (value: Value): Value => (isText(value) ? escape(value) : value);

function toMarkup(value: Value): Value {
  if (typeof value === "string") return new Markup(value);
  if (value instanceof Tuple) return new Tuple(value.items.map(toMarkup));
  return isList(value) ? value.map(toMarkup) : value;
}
