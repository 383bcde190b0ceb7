import type { FastifySchemaCompiler } from "fastify";
import { z } from "zod";
import { lenient } from "./control-body.js";
import { ApiError } from "./errors.js";
import { topUnknownKeys, unknownFieldError } from "./unknown-field.js";

export interface ValidatorOptions {
  /** Whether unknown fields of control and export bodies are refused. Model calls refuse theirs in any case. */
  readonly strictControlFields: boolean;
}

/**
 * Validates with zod; the first issue becomes a 400 that names its field. An unknown field comes before all other issues: an
 * unknown `sesion_id` explains why `session_id` is missing.
 */
export function zodValidator({ strictControlFields }: ValidatorOptions): FastifySchemaCompiler<z.ZodType> {
  return ({ schema: written }) => {
    const schema = strictControlFields ? written : lenient(written);
    return (data: unknown) => {
      const result = schema.safeParse(data);
      if (result.success) return { value: result.data };
      const unknown = topUnknownKeys(result.error);
      return { error: unknown ? unknownFieldError(schema, unknown, "") : toApiError(result.error, schema, data) };
    };
  };
}

type Issue = z.core.$ZodIssue;

/** @param data what was checked: a field that is not in it is said to be missing. */
function toApiError(error: z.ZodError, schema: z.ZodType, data: unknown): ApiError {
  const issue = mostSpecific(error.issues, []);
  const path = formatPath(issue.path);
  if (issue.code === "unrecognized_keys") return unknownFieldError(schema, issue, path);
  const unsupported = issue.code === "custom" && issue.params?.["unsupported"] === true;
  const said = isMissing(issue, data) ? "is required" : issue.message;
  const message = path === "" || unsupported ? issue.message : `${path}: ${said}`;
  return new ApiError(unsupported ? "unsupported_parameter" : "invalid_value", message, { param: path || undefined });
}

/** What zod says of a field that is not there is about a value `undefined`, which nobody sent. */
function isMissing({ code, path }: Issue, data: unknown): boolean {
  if (code !== "invalid_type" && code !== "invalid_value" && code !== "invalid_union") return false;
  return path.length > 0 && valueAt(data, path) === undefined;
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], data);
}

/** In a union the branch that got furthest says most about what the sender meant; then one that is of the type sent. */
function mostSpecific(issues: readonly Issue[], prefix: readonly PropertyKey[]): Issue {
  const [first] = issues;
  if (!first) throw new RangeError("a zod error without an issue");
  const path = [...prefix, ...first.path];
  if (first.code === "invalid_union" && first.errors.length > 0) {
    const branches = first.errors.map((branch) => mostSpecific(branch, path));
    return branches.reduce((best, issue) => (saysMore(issue, best) ? issue : best));
  }
  return { ...first, path };
}

function saysMore(issue: Issue, than: Issue): boolean {
  if (issue.path.length !== than.path.length) return issue.path.length > than.path.length;
  return than.code === "invalid_type" && issue.code !== "invalid_type";
}

/** `messages[3].content`, as the field's users write it. */
function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    "",
  );
}
