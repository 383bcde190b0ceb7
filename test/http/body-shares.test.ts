import { describe, expect, it } from "vitest";
import { BodyShares } from "../../src/http/body-shares.js";

/** How senders share the bytes of bodies in flight. None of these bodies ever ends, unless a test gives its bytes back. */

const KIB = 1024;
const MIB = 1024 * KIB;
/** The default. */
const BYTES = 512 * MIB;
const LARGEST_BODY = 16 * MIB;
const SMALL_BODY = 64 * KIB;

const newSender = (): object => ({});

/** Takes as many bytes as one sender can get with bodies of these sizes. */
function takeAll(shares: BodyShares, sizes: readonly number[]): void {
  const sender = newSender();
  for (const size of sizes) while (typeof shares.take(size, sender) !== "string");
}

const accepts = (shares: BodyShares, size: number): boolean => typeof shares.take(size, newSender()) === "function";

/** Sizes from the largest body down to 512 bytes. */
const SIZES = Array.from({ length: 16 }, (_, i) => LARGEST_BODY / 2 ** i);

describe("bodies that never end", () => {
  it.each([1, 8, 20])("from %i sessions leave room for a body of 600 KB of another session", (sessions) => {
    const shares = new BodyShares(BYTES);
    for (let i = 0; i < sessions; i++) takeAll(shares, SIZES);
    expect(accepts(shares, 600_000)).toBe(true);
  });

  it("from 200 sessions leave room for a small body of another session", () => {
    const shares = new BodyShares(BYTES);
    for (let i = 0; i < 200; i++) takeAll(shares, SIZES);
    expect(accepts(shares, 4 * KIB)).toBe(true);
  });

  it("never take more than the budget together", () => {
    const shares = new BodyShares(BYTES);
    for (let i = 0; i < 1000; i++) takeAll(shares, SIZES);
    expect(shares.used).toBeLessThanOrEqual(BYTES);
    expect(shares.used).toBeGreaterThan(0.9 * BYTES);
  });

  it("that are large leave the part for small bodies free, for any number of sessions", () => {
    const shares = new BodyShares(BYTES);
    while (typeof shares.take(LARGEST_BODY, null) === "function");
    expect(shares.take(SMALL_BODY + 1, null)).toBe("all");
    for (let i = 0; i < 100; i++) expect(accepts(shares, SMALL_BODY)).toBe(true);
  });
});

describe("one session", () => {
  it("may send an eighth of the budget for large bodies at once, and more when a body is received", () => {
    const shares = new BodyShares(BYTES);
    const sender = newSender();
    const releases = [1, 2, 3].map(() => shares.take(LARGEST_BODY, sender));
    expect(shares.take(LARGEST_BODY, sender)).toBe("sender");
    const [release] = releases;
    if (typeof release !== "function") throw new Error("the first body was accepted");
    release();
    expect(typeof shares.take(LARGEST_BODY, sender)).toBe("function");
  });

  it("uses the general part for small bodies when its share of the small part is used up", () => {
    const shares = new BodyShares(BYTES);
    const sender = newSender();
    for (let sent = 0; sent < BYTES / 16; sent += SMALL_BODY) {
      expect(typeof shares.take(SMALL_BODY, sender)).toBe("function");
    }
  });
});

it("gives the bytes of a body back only once", () => {
  const shares = new BodyShares(BYTES);
  const [first, second] = [shares.take(100, newSender()), shares.take(50, null)];
  if (typeof first !== "function" || typeof second !== "function") throw new Error("both bodies were accepted");
  first();
  first();
  expect(shares.used).toBe(50);
  second();
  expect(shares.used).toBe(0);
});

it("accepts the only body even if it is larger than the budget", () => {
  expect(accepts(new BodyShares(100), 1000)).toBe(true);
});
