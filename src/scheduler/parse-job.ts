import { z } from "zod";
import { findNearestName } from "../support/nearest-name.js";
import { SchedulerError } from "./errors.js";
import { type JobSpec, jobSchema } from "./job.js";

/** Number of characters of a wrong value that an error shows. */
const SHOWN_LENGTH = 60;

/**
 * Checks the description of a job and fills in the defaults.
 *
 * @throws {@link SchedulerError} `job_invalid` with one line per problem
 */
export function parseJob(written: unknown): JobSpec {
  const result = jobSchema.safeParse(written, { reportInput: true });
  if (result.success) return result.data;
  throw new SchedulerError("job_invalid", result.error.issues.flatMap(describeIssue).join("\n"));
}

function describeIssue(issue: z.core.$ZodIssue): string[] {
  if (issue.code === "unrecognized_keys") {
    const nearest = (key: string) => findNearestJobKey(issue.path, key);
    return issue.keys.map((key) => `${formatPath([...issue.path, key])}: unknown key; did you mean ${nearest(key)}?`);
  }
  const expected = issue.message.replace(/^Invalid \w+: /, "").replace(/, received .*/, "");
  // A value of an environment may be a secret key, so it is not shown.
  const received = issue.path.includes("env") ? `a value of type ${typeof issue.input}` : show(issue.input);
  return [`${formatPath(issue.path)}: ${expected}, got ${received}`];
}

/** Returns a path as text: `roles[0].count`. */
function formatPath(path: readonly PropertyKey[]): string {
  const text = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  return text === "" ? "the job" : text.replace(/^\./, "");
}

function show(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

type Schema = z.core.JSONSchema.BaseSchema;

const rootSchema = z.toJSONSchema(jobSchema, { io: "input" });

/**
 * Returns the known key that is most similar to an unknown key.
 *
 * @param path place in the job's description that has the unknown key
 */
function findNearestJobKey(path: readonly PropertyKey[], unknown: string): string {
  const schemas = path.reduce<Schema[]>(
    (parents, part) => parents.flatMap((schema) => listChildSchemas(schema, part)),
    [rootSchema],
  );
  const known = schemas.flatMap(listAlternatives).flatMap(({ properties = {} }) => Object.keys(properties));
  return findNearestName(unknown, known);
}

function listChildSchemas(schema: Schema, part: PropertyKey): Schema[] {
  return listAlternatives(schema).flatMap(({ properties, items }) => {
    const child = typeof part === "number" ? items : properties?.[String(part)];
    return typeof child === "object" && !Array.isArray(child) ? [child] : [];
  });
}

function listAlternatives(schema: Schema): Schema[] {
  return schema.anyOf ? schema.anyOf.flatMap(listAlternatives) : [schema];
}
