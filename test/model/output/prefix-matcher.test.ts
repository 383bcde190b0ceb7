import fc from "fast-check";
import { expect, it } from "vitest";
import { PrefixMatcher } from "../../../src/model/output/prefix-matcher.js";

const texts = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom("a", "b"), { minLength, maxLength }).map((letters) => letters.join(""));

it("knows after each character how much of its pattern the text ends with", () => {
  fc.assert(
    fc.property(texts(1, 9), texts(0, 40), (pattern, text) => {
      const matcher = new PrefixMatcher(pattern);
      for (let end = 1; end <= text.length; end++) {
        const read = text.slice(0, end);
        expect(matcher.step(read.charCodeAt(end - 1))).toBe(read.endsWith(pattern));
        const lengths = Array.from({ length: pattern.length }, (_, length) => length);
        const longest = Math.max(...lengths.filter((length) => read.endsWith(pattern.slice(0, length))));
        expect(matcher.matched).toBe(longest);
      }
    }),
    { examples: [["aabaaab", "aabaabaaab"]] },
  );
});
