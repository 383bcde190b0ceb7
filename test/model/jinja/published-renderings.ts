import { isDict, type Value } from "../../../src/model/jinja/index.js";
import { fromJson } from "../../../src/model/template/from-json.js";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { compileAtOnce } from "../support/compile-at-once.js";
import { digest, type PublishedDigests, publishedTemplate } from "../support/golden.js";
import { GOLDEN_CONVERSATIONS } from "./golden-conversations.js";

/** The same moment as in render.py. */
export const NOW = new Date(2026, 10, 20, 9, 5, 7);

const SPECIAL_TOKENS = `"bos_token": "<BOS>", "eos_token": "<EOS>", "pad_token": "<PAD>", "unk_token": "<UNK>"`;

/** Variables of each conversation, special tokens included, as JSON texts. */
export const PUBLISHED_VARIABLES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(GOLDEN_CONVERSATIONS).map(([name, json]) => [name, `{${SPECIAL_TOKENS}, ${json.slice(1)}`]),
);

export function readVariables(json: string): Map<string, Value> {
  const value = runAtOnce(fromJson(json));
  if (!isDict(value)) throw new Error("variables are an object");
  return new Map([...value].map(([name, entry]) => [String(name), entry]));
}

/** Returns a template's rendering, or "ERR" if it fails, because error messages differ from Python's. */
export function renderOrErr(source: string, json: string): string {
  try {
    return compileAtOnce(source, () => NOW)(readVariables(json)).join("");
  } catch {
    return "ERR";
  }
}

/** Python's output with its errors shortened to "ERR". */
export const withoutReason = (output: string): string => (output.startsWith("ERR ") ? "ERR" : output);

/** Returns the digests of a published template and of its rendering of each conversation by `render`. */
export function digestRenderings(name: string, render: (source: string, json: string) => string): PublishedDigests {
  const source = publishedTemplate(name);
  const rendered = Object.entries(PUBLISHED_VARIABLES).map(([key, json]) => {
    const text = render(source, json);
    return [key, text === "ERR" ? text : digest(text)] as const;
  });
  return { template: digest(source), renderings: Object.fromEntries(rendered) };
}
