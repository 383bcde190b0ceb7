import { z } from "zod";
import { alternatives, expectedText, itemsOf } from "./expected-text.js";
import { configSchema } from "./schema/config.js";

/** One key of the configuration, as its documentation and its errors show it. */
export interface ConfigKey {
  /** Dotted, as on the command line: `rollout.agent.turn_discount`. */
  readonly path: string;
  /** What a value must be, as a phrase: "an integer from 0 to 65535". */
  readonly expected: string;
  readonly defaultValue: unknown;
  readonly description: string;
  /** Free text, whose spelling stays as it is where it looks like a number. */
  readonly isText: boolean;
  /** Of a list: what an entry must be. */
  readonly expectedEntry: string | undefined;
  /** Never shown. */
  readonly isSecret: boolean;
}

type Schema = z.core.JSONSchema.BaseSchema;

const found = collect(z.toJSONSchema(configSchema, { io: "input" }), []);

/** Every key that holds a value, in the order of the schema. */
export const configKeys: readonly ConfigKey[] = found.keys;

/** The keys that hold other keys: `server`, `rollout`, `rollout.agent`, …. */
export const configSections: readonly string[] = found.sections;

const keysByPath = new Map(configKeys.map((key) => [key.path, key]));

/** The key at a dotted path, in either spelling of `rollout.agent`. */
export function findKey(path: string): ConfigKey | undefined {
  return keysByPath.get(path.replace(/^rollout\.compat\./, "rollout.agent."));
}

function collect(schema: Schema, path: readonly string[]): { keys: ConfigKey[]; sections: string[] } {
  if (!schema.properties) return { keys: [toKey(schema, path.join("."))], sections: [] };
  const keys: ConfigKey[] = [];
  const sections = path.length > 0 ? [path.join(".")] : [];
  for (const [name, child] of Object.entries(schema.properties)) {
    if (typeof child === "boolean") continue;
    const below = collect(child, [...path, name]);
    keys.push(...below.keys);
    sections.push(...below.sections);
  }
  return { keys, sections };
}

function toKey(schema: Schema, path: string): ConfigKey {
  const isList = schema.type === "array";
  const value = isList ? itemsOf(schema) : schema;
  return {
    path,
    expected: expectedText(schema),
    defaultValue: schema.default,
    description: schema.description ?? "",
    isText: !value.enum && alternatives(value).some(({ type }) => type === "string"),
    expectedEntry: isList ? expectedText(value) : undefined,
    isSecret: schema.writeOnly === true,
  };
}
