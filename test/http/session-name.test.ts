import { expect, it } from "vitest";
import { readSessionName } from "../../src/http/session-name.js";

const read = (name: string | string[] | undefined) => readSessionName({ headers: { "x-session-id": name } });

it.each([
  [undefined, undefined],
  ["", undefined],
  ["rollout-7", "rollout-7"],
  ["!".repeat(128), "!".repeat(128)],
])("reads %j as %j", (header, name) => {
  expect(read(header)).toBe(name);
});

it.each([["a b"], ["é"], ["!".repeat(129)], [["a", "b"]]])("refuses %j, and says how long it is", (header) => {
  const message = expect.stringMatching(new RegExp(`received ${String(header).length} characters`)) as string;
  const refused = expect.objectContaining({ code: "invalid_value", param: "X-Session-ID", message }) as Error;
  expect(() => read(header)).toThrow(refused);
});
