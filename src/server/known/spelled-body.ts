import { readFieldTexts } from "../../support/json/field-texts.js";
import { mayLoseSpelling, parseSpelled } from "../../support/json/spelled.js";
import { withSpelledCalls } from "./spelled-calls.js";

// What templates write out of a request, number by number and key by key.
const SHOWN_FIELDS: ReadonlySet<string> = new Set(["tools", "chat_template_kwargs"]);

/** Returns the body with those fields as they are spelled, if `JSON.parse` may have changed something in them. */
export function asSpelled(text: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const isShown = ([name, field]: [string, unknown]): boolean => SHOWN_FIELDS.has(name) && mayLoseSpelling(field);
  const names = Object.entries(value)
    .filter(isShown)
    .map(([name]) => name);
  const messages: unknown = "messages" in value ? value.messages : undefined;
  const called = Array.isArray(messages) ? withSpelledCalls(text, messages) : messages;
  if (names.length === 0 && called === messages) return value;
  const fields = names.length === 0 ? new Map<string, string>() : readFieldTexts(text, new Set(names));
  const spelled = [...fields].map(([name, field]) => [name, parseSpelled(field)] as const);
  return { ...value, ...(called === messages ? {} : { messages: called }), ...Object.fromEntries(spelled) };
}
