import { expect, it } from "vitest";
import { z } from "zod";
import { findTopUnknownKeys, unknownFieldError } from "../../src/http/validation.js";

const inner = z.strictObject({ wait_seconds: z.int().optional() });
const body = z.strictObject({
  session_id: z.string().optional(),
  inner: inner.nullable().optional(),
  piped: inner.transform((value) => value).optional(),
  prepared: z.preprocess((value) => value, inner).optional(),
  either: z.union([inner, z.strictObject({ other: z.int() })]).optional(),
});

function errorOf(schema: z.ZodType, value: object, parent = "") {
  const { issues } = schema.safeParse(value).error ?? { issues: [] };
  const issue = issues.find(({ code }) => code === "unrecognized_keys");
  if (issue?.code !== "unrecognized_keys") throw new Error("The value has no unknown field.");
  return unknownFieldError(schema, issue, parent);
}

it.each<[string, object, string, string]>([
  ["sesion_id", { sesion_id: 1 }, "", " Did you mean `session_id`?"],
  ["temperature", { temperature: 1 }, "", ""],
  ["inner.wait", { inner: { wait: 1 } }, "inner", " Did you mean `inner.wait_seconds`?"],
  ["piped.wait", { piped: { wait: 1 } }, "piped", " Did you mean `piped.wait_seconds`?"],
  ["prepared.wait", { prepared: { wait: 1 } }, "prepared", " Did you mean `prepared.wait_seconds`?"],
])("names the unknown field %s and a similar one of the same object", (param, value, parent, suggestion) => {
  expect(errorOf(body, value, parent)).toMatchObject({
    code: "unknown_parameter",
    param,
    message: `Unrecognized request argument: \`${param}\`.${suggestion}`,
  });
});

it("says that a call takes no parameters", () => {
  expect(errorOf(z.strictObject({}), { a: 1 }).message).toBe(
    "Unrecognized request argument: `a`. This call takes no parameters.",
  );
});

it("suggests nothing inside a union, whose branches have different fields", () => {
  const issue = { code: "unrecognized_keys", keys: ["wait"], path: ["either"], message: "", input: {} } as const;
  expect(unknownFieldError(body, { ...issue, keys: ["wait"], path: ["either"] }, "either").message).toBe(
    "Unrecognized request argument: `either.wait`.",
  );
});

it("shows the beginning of a long name", () => {
  expect(errorOf(body, { ["x".repeat(1000)]: 1 }).param).toBe("x".repeat(100));
});

it("finds unknown fields of the body itself", () => {
  const errorsOf = (value: object) => body.safeParse(value).error ?? new z.ZodError([]);
  expect(findTopUnknownKeys(errorsOf({ inner: { a: 1 }, b: 1 }))?.keys).toEqual(["b"]);
  expect(findTopUnknownKeys(errorsOf({ inner: { a: 1 } }))).toBeUndefined();
  expect(findTopUnknownKeys(errorsOf({ session_id: 5 }))).toBeUndefined();
});
