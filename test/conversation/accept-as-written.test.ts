import { describe, expect, it } from "vitest";
import { z } from "zod";
import { acceptAsWritten } from "../../src/conversation/accept-as-written.js";

const schema = z.object({ name: z.string(), more: z.object({ size: z.number() }) });
const asWritten = acceptAsWritten(schema);

describe("a value that is accepted as it is written", () => {
  it("is returned itself, with unknown keys and in its order", () => {
    const value = { unknown: 1, more: { other: 2, size: 3 }, name: "a" };
    expect(asWritten.parse(value)).toBe(value);
  });

  it("is refused as by the schema", () => {
    const value = { more: { size: "3" } };
    expect(asWritten.safeParse(value).error?.issues).toEqual(schema.safeParse(value).error?.issues);
    expect(asWritten.safeParse(value).success).toBe(false);
  });

  it("is described as by the schema", () => {
    const withDefault = z.object({ name: z.string().default("a") });
    const { $schema: _, ...described } = z.toJSONSchema(withDefault, { io: "input" });
    const written = z.object({ value: acceptAsWritten(withDefault) });
    expect(z.toJSONSchema(written, { io: "input" }).properties?.["value"]).toEqual(described);
  });
});
