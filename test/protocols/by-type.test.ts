import { expect, it } from "vitest";
import { z } from "zod";
import { byType } from "../../src/protocols/by-type.js";

const shape = byType(
  {
    circle: z.object({ type: z.literal("circle"), radius: z.number() }),
    point: z.object({ type: z.literal("point") }),
  },
  z.object({ type: z.string(), area: z.number() }),
);

it("reads an object with the schema of its type, and others with the schema of all others", () => {
  expect(shape.parse({ type: "circle", radius: 1, area: 2 })).toEqual({ type: "circle", radius: 1 });
  expect(shape.parse({ type: "square", radius: 1, area: 2 })).toEqual({ type: "square", area: 2 });
});

it.each([
  [{ type: "circle" }, ["radius"]],
  [{ type: "square" }, ["area"]],
  [{ area: 2 }, ["type"]],
  ["circle", []],
])("reports only the errors of the selected schema: %j", (value, path) => {
  expect(shape.safeParse(value).error?.issues.map((issue) => issue.path)).toEqual([path]);
});

it("describes all of them, the one of all others last", () => {
  const { anyOf = [] } = z.toJSONSchema(shape, { io: "input" });
  expect(anyOf.map((each) => (typeof each === "object" ? each.required : undefined))).toEqual([
    ["type", "radius"],
    ["type"],
    ["type", "area"],
  ]);
});
