import { expect, it } from "vitest";
import { KnownMessages } from "../../../src/session/turn/known-messages.js";
import { countSteps } from "../../helpers/iterations.js";

it("digests a call with tens of thousands of values in steps", () => {
  const json = JSON.stringify({ x: Array.from({ length: 10_000 }, (_, i) => i) });
  const call = { id: "call", name: "f", arguments: json };
  const digest = (text: string) =>
    countSteps(
      new KnownMessages([]).digest([{ role: "assistant", content: "", toolCalls: [{ ...call, arguments: text }] }]),
    );
  const { result, count } = digest(json);
  expect(count).toBeGreaterThanOrEqual(9);
  expect(digest(json.replaceAll(",", " , ")).result.digests).toEqual(result.digests);
  expect(digest("{}").count).toBe(1);
});
