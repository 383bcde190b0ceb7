import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findString } from "../../src/support/json/elements.js";

const names = fc.constantFrom("a", "models", "model ", "input", "{", "[");
const values = fc.oneof(fc.jsonValue(), fc.constant({ model: "inner" }), fc.constant([{ model: "in a list" }]));
const fields = fc.dictionary(names, values);

describe("the string of a field", () => {
  it("is found wherever the field is, and whatever the others hold", () => {
    fc.assert(
      fc.property(fields, fc.string(), fields, fc.constantFrom(undefined, 2), (before, model, after, space) => {
        // The names of `after` do not replace those of `before`, so that `model` has fields on both sides.
        const rest = Object.fromEntries(Object.entries(after).map(([name, value]) => [`${name}2`, value]));
        const json = Buffer.from(JSON.stringify({ ...before, model, ...rest }, null, space));
        const found = findString(json, "model");
        expect(JSON.parse(json.toString("utf8", found?.start, found?.end))).toBe(model);
      }),
    );
  });

  it.each([
    ["is absent", '{"a":{"model":"x"}}'],
    ["is no string", '{"model":1}'],
    ["is there twice", '{"model":"x","a":1,"model":"y"}'],
    ["may be there a second time, with an escape", '{"model":"x","mod\\u0065l":"y"}'],
    ["has an escape in its name", '{"mod\\u0065l":"y"}'],
    ["is behind a name with an escape", '{"a\\n":"x","model":"y"}'],
  ])("is not found if the field %s", (_, json) => {
    expect(findString(Buffer.from(json), "model")).toBeUndefined();
  });
});
