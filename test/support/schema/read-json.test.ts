import { expect, it } from "vitest";
import { z } from "zod";
import { readJson } from "../../../src/support/schema/read-json.js";

it.each([
  ['{"a":1}', { a: 1 }],
  ['{"a":"x"}', undefined],
  ["{", undefined],
  [undefined, undefined],
])("reads %j as %j", (text, value) => {
  expect(readJson(z.object({ a: z.int() }), text)).toEqual(value);
});
