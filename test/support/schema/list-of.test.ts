import { expect, it } from "vitest";
import { z } from "zod";
import { listOf } from "../../../src/support/schema/list-of.js";

const messages = (schema: z.ZodType, value: unknown): string[] =>
  schema.safeParse(value).error?.issues.map(({ message, path }) => `${path.join(".")}: ${message}`) ?? [];

it("accepts a number of elements", () => {
  const list = listOf(z.int(), { min: 1, max: 2 });
  expect(list.parse([7])).toEqual([7]);
  expect(messages(list, [])).toEqual([": must hold at least 1"]);
  // Elements of a list that is too long are not checked.
  expect(messages(list, [1, 2, "x"])).toEqual([": must hold at most 2"]);
});

it("says so in its JSON Schema, which has no limits by default", () => {
  const schemaOf = (list: z.ZodType) => z.toJSONSchema(list, { io: "input" });
  expect(schemaOf(listOf(z.boolean(), { min: 1, max: 2 }))).toMatchObject({ type: "array", minItems: 1, maxItems: 2 });
  const unlimited = schemaOf(listOf(z.boolean()));
  expect(unlimited).toMatchObject({ type: "array", items: { type: "boolean" } });
  expect(unlimited).not.toHaveProperty("minItems");
  expect(unlimited).not.toHaveProperty("maxItems");
});

it("describes what elements are in a request, and any value for what JSON Schema cannot describe", () => {
  const itemsOf = (element: z.ZodType) => z.toJSONSchema(listOf(element), { io: "input" }).items;
  expect(itemsOf(z.string().transform(Number))).toMatchObject({ type: "string" });
  expect(itemsOf(z.bigint())).not.toHaveProperty("type");
});

it("reports the first invalid element only", () => {
  const issues = messages(listOf(z.object({ a: z.int() })), [{ a: 1 }, { a: "x" }, 5]);
  expect(issues).toHaveLength(1);
  expect(issues[0]).toMatch(/^1\.a: /);
  expect(messages(listOf(z.object({ a: z.int() })), [null])[0]).toMatch(/^0: /);
  expect(listOf(z.null(), { once: true }).parse(Array.from({ length: 9 }, () => null))).toHaveLength(9);
});

it("checks an object of a long list once if it is asked to", () => {
  let checks = 0;
  const element = z.object({ a: z.int() }).refine(() => ++checks > 0);
  const objects = Array.from({ length: 9 }, (_, a) => ({ a }));
  const list = listOf(element, { once: true });
  expect(list.parse([...objects, ...objects])).toHaveLength(18);
  expect(checks).toBe(9);
  list.parse(objects);
  expect(checks).toBe(9);
  list.parse(objects.slice(1));
  expect(checks).toBe(17);
  checks = 0;
  const always = listOf(element);
  for (let parse = 0; parse < 2; parse++) always.parse(objects);
  expect(checks).toBe(18);
});
