import { expect, it } from "vitest";
import { z } from "zod";
import { describeExpected } from "../../../src/support/schema/expected-text.js";

const describe = (schema: z.ZodType): string => describeExpected(z.toJSONSchema(schema, { io: "input" }));

it.each([
  ["an integer", z.int()],
  ["an integer from 0 to 65535", z.int().min(0).max(65_535)],
  ["an integer of at least 1", z.int().min(1)],
  ["an integer of at most -1", z.int().max(-1)],
  ["an integer of at least 0 or null", z.int().min(0).nullable()],
  ["a number from 0 to 1", z.number().min(0).max(1)],
  ["a list of values, each a list of values, each true or false", z.array(z.array(z.boolean()))],
  ["text of at most 3 characters or one of 1, 2", z.union([z.string().max(3), z.literal([1, 2])])],
  ["a number", z.number().meta({ expected: "a number" })],
  ["a number", z.number()],
  ["a number of at most 2", z.number().max(2)],
  ["a number above 0", z.number().gt(0)],
  ["a number above 0, at most 1", z.number().gt(0).max(1)],
  ["true or false", z.boolean()],
  ["text", z.string()],
  ["text that is not empty", z.string().min(1)],
  ["text of at most 3 characters", z.string().max(3)],
  ["text of 1 to 3 characters", z.string().min(1).max(3)],
  ["one of a, b", z.enum(["a", "b"])],
  ["a", z.enum(["a"])],
  ["a number or null", z.number().nullable()],
  ["a list of values, each text", z.array(z.string())],
  ["a list of values, each text or an integer", z.array(z.union([z.string(), z.int()]))],
  ["an address", z.string().meta({ expected: "an address" })],
  ["a tag, or null", z.union([z.string(), z.int(), z.null()]).meta({ expected: "a tag" })],
  ["a tag", z.union([z.string(), z.int()]).meta({ expected: "a tag" })],
])("%s", (text, schema) => {
  expect(describe(schema)).toBe(text);
});
