import type { Registry } from "prom-client";

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses?: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/**
 * Returns the fields of every call of an OpenAPI document: parameters, request body and answers by status, without
 * prose.
 */
export function describeCalls({ paths }: OpenApi): Record<string, object> {
  const calls = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => [
      `${method.toUpperCase()} ${path}`,
      describeCall(operation),
    ]),
  );
  return Object.fromEntries(calls) as Record<string, object>;
}

function describeCall({ parameters = [], requestBody, responses = {} }: Operation): object {
  const answers = Object.entries(responses).map(([status, { content }]) => [status, fieldsOfContent(content)]);
  return {
    parameters: parameters.map(({ name, in: place, required }) => `${place} ${name}${required ? "" : "?"}`).sort(),
    request: fieldsOfContent(requestBody?.content),
    answers: Object.fromEntries(answers) as object,
  };
}

function fieldsOfContent(content: Readonly<Record<string, { readonly schema?: Schema }>> = {}): string[] {
  const fields = Object.values(content).flatMap(({ schema }) => (schema ? listFields(schema, "") : []));
  return [...new Set(fields)].sort();
}

/** Returns one line per field, such as `messages[].role: user | assistant`. */
function listFields(schema: Schema, path: string): string[] {
  const { properties = {}, required = [], items, additionalProperties } = schema;
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const kind = schema.enum ? schema.enum.map(String).join(" | ") : [schema.type ?? []].flat().join(" | ");
  return [
    ...(path === "" || kind === "" ? [] : [`${path}: ${kind}`]),
    ...alternatives.flatMap((each) => listFields(each, path)),
    ...Object.entries(properties).flatMap(([name, each]) =>
      listFields(each, `${path}${path === "" ? "" : "."}${name}${required.includes(name) ? "" : "?"}`),
    ),
    ...(items ? listFields(items, `${path}[]`) : []),
    ...(typeof additionalProperties === "object" ? listFields(additionalProperties, `${path}.*`) : []),
  ];
}

/** Returns type and labels of every metric, by its name. */
export function describeMetrics(registry: Registry): Record<string, string> {
  const metrics = registry.getMetricsAsArray() as unknown as readonly {
    readonly name: string;
    readonly type: string;
    readonly labelNames?: readonly string[];
  }[];
  const entries = metrics.map(({ name, type, labelNames = [] }) => [name, [type, ...labelNames].join(" ")] as const);
  return Object.fromEntries(entries);
}
