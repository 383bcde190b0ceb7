import { expect, it } from "vitest";
import { CodedError } from "../../src/support/coded-error.js";

class ShopError extends CodedError<"sold_out" | "closed"> {}

it("has a code, a message, and what else is known of the error", () => {
  const cause = new Error("the shelf is empty");
  const error = new ShopError("sold_out", "No apples.", { param: "fruit", details: { left: 0 }, cause });
  expect(error).toMatchObject({ code: "sold_out", message: "No apples.", param: "fruit", details: { left: 0 }, cause });
});

it("has neither param nor details by default", () => {
  const error = new ShopError("closed", "Come back tomorrow.");
  expect([error.code, error.param, error.details, error.cause]).toEqual(["closed", undefined, undefined, undefined]);
});
