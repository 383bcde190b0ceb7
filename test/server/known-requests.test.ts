import { expect, it } from "vitest";
import { KnownRequests } from "../../src/server/memory/known-requests.js";

it.each([0, 1, 7, 89_478_486])(
  "keeps requests within %i bytes, also if no whole part of it belongs to each kind",
  (bytes) => {
    const known = new KnownRequests(bytes);
    expect(known.bytes).toBe(0);
  },
);
