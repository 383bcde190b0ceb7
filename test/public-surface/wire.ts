import type { Registry } from "prom-client";

interface Schema {
  readonly $ref?: string;
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
  readonly responses?: Readonly<Record<string, Answer>>;
}

interface Answer {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

export interface OpenApi {
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/**
 * Returns the fields of every call of an OpenAPI document: parameters, request body and answers by status, without
 * prose.
 */
export function describeCalls(document: OpenApi): Record<string, object> {
  const calls = Object.entries(resolveRefs(document).paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => [
      `${method.toUpperCase()} ${path}`,
      describeCall(operation),
    ]),
  );
  return Object.fromEntries(calls) as Record<string, object>;
}

/** Returns a copy in which each reference is replaced by what it refers to. No schema contains itself. */
function resolveRefs(document: OpenApi): OpenApi {
  const { schemas, responses } = document.components;
  const known = new Map<string, unknown>([
    ...Object.entries(schemas).map(([name, each]) => [`#/components/schemas/${name}`, each] as const),
    ...Object.entries(responses).map(([name, each]) => [`#/components/responses/${name}`, each] as const),
  ]);
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    const { $ref } = value as { readonly $ref?: string };
    if ($ref !== undefined) {
      if (!known.has($ref)) throw new Error(`Nothing has the name ${$ref}.`);
      return resolve(known.get($ref));
    }
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolve(each)]));
  };
  return resolve(document) as OpenApi;
}

function describeCall({ parameters = [], requestBody, responses = {} }: Operation): object {
  // test/public-surface/frozen/errors.json has the codes and statuses of errors.
  const successes = Object.entries(responses).filter(
    ([status, { content }]) => Number(status) < 300 || !isError(content),
  );
  const answers = successes.map(([status, { content }]) => [status, fieldsOfContent(content)]);
  return {
    parameters: parameters.map(({ name, in: place, required }) => `${place} ${name}${required ? "" : "?"}`).sort(),
    request: fieldsOfContent(requestBody?.content),
    answers: Object.fromEntries(answers) as object,
  };
}

function isError(content: Answer["content"]): boolean {
  return content?.["application/json"]?.schema?.properties?.["error"] !== undefined;
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
