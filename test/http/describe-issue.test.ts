import { expect, it } from "vitest";
import { z } from "zod";
import { describeIssue } from "../../src/http/describe-issue.js";

const body = z.strictObject({
  count: z.int().min(1).max(5),
  share: z.number().gt(0).lt(1),
  flag: z.boolean(),
  name: z.string().min(1),
  names: z.array(z.string()),
  few: z.array(z.int()).min(1).max(2),
  state: z.enum(["on", "off"]),
  map: z.record(z.string(), z.int()),
  inner: z.strictObject({ id: z.int() }),
  many: z.array(z.strictObject({ id: z.int() })),
  shape: z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("circle"), radius: z.number().gt(0).max(9) }),
    z.strictObject({ type: z.literal("line"), points: z.array(z.int()), length: z.number().lt(5) }),
  ]),
  own: z.string().refine((text) => text === "right", "must be right"),
});

const VALID = {
  count: 1,
  share: 0.5,
  flag: true,
  name: "a",
  names: [],
  few: [1],
  state: "on",
  map: {},
  inner: { id: 1 },
  many: [],
  shape: { type: "circle", radius: 1 },
  own: "right",
};

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value);

it.each<[string, unknown, string]>([
  ["count", "5", 'must be an integer from 1 to 5; received "5"'],
  ["count", 6, "must be an integer from 1 to 5; received 6"],
  ["share", 0, "must be a number above 0; received 0"],
  ["flag", null, "must be true or false; received null"],
  ["flag", [1], "must be true or false; received a list"],
  ["flag", {}, "must be true or false; received an object"],
  ["flag", undefined, "must be true or false; received undefined"],
  ["name", "", 'must be text that is not empty; received ""'],
  ["name", 5, "must be text that is not empty; received 5"],
  ["names", "a", 'must be a list of values, each text; received "a"'],
  ["names", [5], "must be text; received 5"],
  ["few", [], "must hold at least 1"],
  ["few", [1, 2, 3], "must hold at most 2"],
  ["state", "x".repeat(61), `must be one of on, off; received "${"x".repeat(60)}…"`],
  ["state", "x".repeat(60), `must be one of on, off; received "${"x".repeat(60)}"`],
  ["map", 5, "must be an object; received 5"],
  ["inner", [], "must be an object; received a list"],
  ["inner", { id: "a" }, 'must be an integer; received "a"'],
  ["many", {}, "must be a list; received an object"],
  ["many", [{ id: 1.5 }], "must be an integer; received 1.5"],
  ["shape", { type: "cube" }, 'must be one of circle, line; received "cube"'],
  ["shape", { type: "circle", radius: 10 }, "must be at most 9; received 10"],
  ["shape", { type: "circle", radius: 0 }, "must be above 0; received 0"],
  ["shape", { type: "circle", radius: "1" }, 'must be a number; received "1"'],
  ["shape", { type: "line", points: 5, length: 1 }, "must be a list; received 5"],
  ["shape", { type: "line", points: [], length: 5 }, "must be below 5; received 5"],
  ["own", "wrong", "must be right"],
])("describes a wrong `%s`: %j", (field, value, description) => {
  const sent = { ...VALID, [field]: value };
  const [issue] = body.safeParse(sent).error?.issues ?? [];
  if (!issue) throw new Error("The value is valid.");
  expect(describeIssue(issue, body, at(sent, issue.path))).toBe(description);
});
