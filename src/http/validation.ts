import type { FastifyRequest, FastifySchemaCompiler } from "fastify";
import { z } from "zod";
import { runInIterations } from "../support/async/run-steps.js";
import { findSimilarName } from "../support/nearest-name.js";
import { checkInSlices } from "../support/schema/sliced-check.js";
import { allowUnknownFields } from "./control-body.js";
import { describeIssue } from "./describe-issue.js";
import { ApiError } from "./errors.js";

export interface ValidatorOptions {
  /** Refuses unknown fields of control and export bodies. Model calls always refuse them. */
  readonly strictControlFields: boolean;
}

/**
 * Returns a Fastify validator that uses zod. It turns the first issue into a 400 that names the field. Unknown fields come
 * before all other issues, because an unknown `sesion_id` explains why `session_id` is missing.
 */
export function zodValidator({ strictControlFields }: ValidatorOptions): FastifySchemaCompiler<z.ZodType> {
  return ({ schema: routeSchema }) => {
    const schema = strictControlFields ? routeSchema : allowUnknownFields(routeSchema);
    checkedBy.set(routeSchema, schema);
    return (data: unknown) => {
      const result = takeResult(data) ?? schema.safeParse(data);
      if (result.success) return { value: result.data };
      const unknownKeys = findTopUnknownKeys(result.error);
      return {
        error: unknownKeys ? unknownFieldError(schema, unknownKeys, "") : toApiError(result.error, schema, data),
      };
    };
  };
}

/** The schemas that check bodies, by the schemas of the routes. */
const checkedBy = new WeakMap<object, z.ZodType>();

/** Results of bodies that were checked before Fastify's validation, which runs in one iteration of the event loop. */
const results = new WeakMap<object, z.ZodSafeParseResult<unknown>>();

/**
 * Checks a body in several iterations of the event loop if the check takes long. The validation that follows uses the result. The body must
 * not be changed or replaced in between.
 */
export async function checkBodyInIterations({ body, routeOptions }: FastifyRequest): Promise<void> {
  const schema = checkedBy.get(routeOptions.schema?.body ?? {});
  if (!schema || typeof body !== "object" || body === null) return;
  results.set(body, await runInIterations(checkInSlices(() => schema.safeParse(body))));
}

/** @param body any value; only an object can have a result */
function takeResult(body: unknown): z.ZodSafeParseResult<unknown> | undefined {
  const result = results.get(body as object);
  results.delete(body as object);
  return result;
}

type Issue = z.core.$ZodIssue;

/** @param data the validated body or query; fields that it lacks are reported as missing */
function toApiError(error: z.ZodError, schema: z.ZodType, data: unknown): ApiError {
  const issue = findMostSpecific(error.issues, []);
  const path = formatPath(issue.path);
  if (issue.code === "unrecognized_keys") return unknownFieldError(schema, issue, path);
  const unsupported = issue.code === "custom" && issue.params?.["unsupported"] === true;
  const problem = isMissing(issue, data) ? "is required" : describeIssue(issue, schema, readPath(data, issue.path));
  // A message that the schema defines for the whole request names the fields itself.
  const isWhole = unsupported || (path === "" && problem === issue.message);
  const message = isWhole ? issue.message : `${path === "" ? "request" : path}: ${problem}`;
  return new ApiError(unsupported ? "unsupported_parameter" : "invalid_value", message, { param: path || undefined });
}

/** Returns true if the field is absent. zod's own message would then complain about a value `undefined`. */
function isMissing({ code, path }: Issue, data: unknown): boolean {
  if (code !== "invalid_type" && code !== "invalid_value" && code !== "invalid_union") return false;
  return path.length > 0 && readPath(data, path) === undefined;
}

function readPath(data: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(readField, data);
}

/** Google's fields can come in snake_case. Issues name them in camelCase. */
function readField(value: unknown, key: PropertyKey): unknown {
  const fields = value as Record<PropertyKey, unknown> | null | undefined;
  if (typeof key !== "string") return fields?.[key];
  return fields?.[key] ?? fields?.[key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

/**
 * Returns the first issue. In a union, it takes the issue of the branch that failed deepest in the value, since that branch is
 * probably the one that the client meant. If two are equally deep, it prefers the one whose type fits the value.
 */
function findMostSpecific(issues: readonly Issue[], prefix: readonly PropertyKey[]): Issue {
  const [first] = issues;
  if (!first) throw new RangeError("The zod error has no issues.");
  const path = [...prefix, ...first.path];
  if (first.code === "invalid_union" && first.errors.length > 0) {
    const branches = first.errors.map((branch) => findMostSpecific(branch, path));
    return branches.reduce((best, issue) => (isMoreSpecific(issue, best) ? issue : best));
  }
  return { ...first, path };
}

function isMoreSpecific(issue: Issue, than: Issue): boolean {
  if (issue.path.length !== than.path.length) return issue.path.length > than.path.length;
  return than.code === "invalid_type" && issue.code !== "invalid_type";
}

/** Returns a path such as `messages[3].content`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    "",
  );
}

/** Error messages show at most this many characters of an unknown field's name. */
const MAX_SHOWN_NAME = 100;

type UnknownKeys = z.core.$ZodIssueUnrecognizedKeys;

/** Returns the first issue about an unknown field at the top of a body; undefined if there is none. */
export function findTopUnknownKeys({ issues }: z.ZodError): UnknownKeys | undefined {
  return issues.filter((issue) => issue.code === "unrecognized_keys").find(({ path }) => path.length === 0);
}

/**
 * Returns the error for an unknown field. It suggests a similar field of the same object, if there is one.
 *
 * @param parent path of the object that has the field, as error messages show it; empty for the body itself
 */
export function unknownFieldError(schema: z.ZodType, { keys, path }: UnknownKeys, parent: string): ApiError {
  const name = (keys[0] ?? "").slice(0, MAX_SHOWN_NAME);
  const withParent = (field: string) => (parent === "" ? field : `${parent}.${field}`);
  const knownFields = listFieldsAt(schema, path);
  const suggestion = knownFields === undefined ? "" : suggestField(knownFields, name, withParent);
  const param = withParent(name);
  // Harbor and other clients of OpenAI's API repeat a request without its extra fields if they read the first three words.
  return new ApiError("unknown_parameter", `Unrecognized request argument: \`${param}\`.${suggestion}`, { param });
}

function suggestField(knownFields: readonly string[], name: string, withParent: (field: string) => string): string {
  if (knownFields.length === 0) return " This call takes no parameters.";
  const similar = findSimilarName(name, knownFields);
  return similar === undefined ? "" : ` Did you mean \`${withParent(similar)}\`?`;
}

/** Returns the fields of the object at `path`; undefined if the schema has no single object there, as in a union. */
function listFieldsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] | undefined {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodObject)) return undefined;
  const shape: Readonly<Record<PropertyKey, z.core.$ZodType>> = inner.shape;
  const [key, ...rest] = path;
  if (key === undefined) return Object.keys(shape);
  const field = shape[key];
  return field && listFieldsAt(field, rest);
}

/** Returns the schema inside of `optional()`, `nullable()` and transformations. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrap(schema.unwrap());
  if (!(schema instanceof z.ZodPipe)) return schema;
  // The object schema is the input of a pipe, except for `preprocess`, where it is the output.
  return unwrap(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
}
