import { z } from "zod";
import { describeExpected, listAlternatives, readItemSchema } from "../support/schema/expected-text.js";
import { configSchema } from "./schema/config.js";
import type { KeyUse } from "./schema/used-by.js";

/** One key of the configuration, for its documentation and error messages. */
export interface ConfigKey extends KeyUse {
  /** Dotted, as on the command line: `rollout.agent.turn_discount`. */
  readonly path: string;
  /** The allowed values as a phrase, such as "an integer from 0 to 65535". */
  readonly expected: string;
  readonly defaultValue: unknown;
  readonly description: string;
  /** True for free text, whose spelling is kept even if it looks like a number. */
  readonly isText: boolean;
  /** The allowed entries of a list, as a phrase; undefined if the key is not a list. */
  readonly expectedEntry: string | undefined;
  /** True for values that are never shown. */
  readonly isSecret: boolean;
}

type Schema = z.core.JSONSchema.BaseSchema & Partial<KeyUse>;

const found = collect(z.toJSONSchema(configSchema, { io: "input" }));

/** Every key that holds a value, in the order of the schema. */
export const configKeys: readonly ConfigKey[] = found.keys;

/** The keys that contain other keys: `server`, `rollout`, `rollout.agent`, …. */
export const configSections: readonly string[] = found.sections;

const keysByPath = new Map(configKeys.map((key) => [key.path, key]));

/** Returns the key at a dotted path, which may begin with `rollout.compat` instead of `rollout.agent`. */
export function findKey(path: string): ConfigKey | undefined {
  return keysByPath.get(path.replace(/^rollout\.compat\./, "rollout.agent."));
}

/** Like {@link findKey}, also for a path inside the value of a key. */
export function findKeyAbove(path: string): ConfigKey | undefined {
  return findKey(path) ?? (path.includes(".") ? findKeyAbove(path.slice(0, path.lastIndexOf("."))) : undefined);
}

/** @param section metadata of the section above, for keys without metadata of their own */
function collect(
  schema: Schema,
  path: readonly string[] = [],
  section: KeyUse = { usedBy: [], needs: [] },
): { keys: ConfigKey[]; sections: string[] } {
  const { usedBy = section.usedBy, needs = section.needs } = schema;
  if (!schema.properties) return { keys: [toKey(schema, path.join("."), { usedBy, needs })], sections: [] };
  const keys: ConfigKey[] = [];
  const sections = path.length > 0 ? [path.join(".")] : [];
  for (const [name, child] of Object.entries(schema.properties)) {
    if (typeof child === "boolean") continue;
    const below = collect(child, [...path, name], { usedBy, needs });
    keys.push(...below.keys);
    sections.push(...below.sections);
  }
  return { keys, sections };
}

function toKey(schema: Schema, path: string, use: KeyUse): ConfigKey {
  const isList = schema.type === "array";
  const value = isList ? readItemSchema(schema) : schema;
  return {
    ...use,
    path,
    expected: describeExpected(schema),
    defaultValue: schema.default,
    description: schema.description ?? "",
    isText: !value.enum && listAlternatives(value).some((each) => each.type === "string" && each.const === undefined),
    expectedEntry: isList ? describeExpected(value) : undefined,
    isSecret: schema.writeOnly === true,
  };
}
