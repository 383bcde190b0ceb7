import { expect, it } from "vitest";
import { isSystem, type Role } from "../../src/conversation/message.js";

it("takes system and developer messages for instructions", () => {
  const instructs = (role: Role) => isSystem({ role, content: "" });
  expect((["system", "developer", "user", "assistant", "tool"] as const).filter(instructs)).toEqual([
    "system",
    "developer",
  ]);
  expect(isSystem(undefined)).toBe(false);
});
