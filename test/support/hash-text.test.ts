import { expect, it } from "vitest";
import { hashText, sameHash } from "../../src/support/hash-text.js";

it("hashes a text with SHA-256, in base64url", () => {
  expect(hashText("abc")).toBe("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
});

it("compares hashes, also of different lengths", () => {
  expect(sameHash(hashText("abc"), hashText("abc"))).toBe(true);
  expect(sameHash(hashText("abc"), hashText("abd"))).toBe(false);
  expect(sameHash(hashText("abc"), "short")).toBe(false);
});
