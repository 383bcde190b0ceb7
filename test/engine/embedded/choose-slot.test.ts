import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CachedTokens } from "../../../src/engine/embedded/cached-tokens.js";
import { chooseSlot } from "../../../src/engine/embedded/choose-slot.js";

interface Spec {
  readonly ids: readonly number[];
  readonly key?: string;
  readonly lastUsed?: number;
}

function makeSlot({ ids, key, lastUsed = 0 }: Spec) {
  const cached = new CachedTokens(64);
  cached.append(ids);
  return { cached, affinityKey: key, lastUsed };
}

function choose(specs: readonly Spec[], prompt: readonly number[], key = "mine"): number {
  const slots = specs.map(makeSlot);
  const chosen = chooseSlot(slots, Int32Array.from(prompt), key);
  return chosen ? slots.indexOf(chosen) : -1;
}

describe("chooseSlot", () => {
  it("returns undefined if there are no free slots", () => {
    expect(choose([], [1])).toBe(-1);
  });

  it("chooses the slot with the longest common prefix", () => {
    expect(choose([{ ids: [1, 2] }, { ids: [1, 2, 3] }, { ids: [1] }], [1, 2, 3, 4])).toBe(1);
  });

  it("prefers the same affinity key, then the oldest slot, among equal prefixes", () => {
    expect(
      choose(
        [
          { ids: [1, 2], lastUsed: 1 },
          { ids: [1, 2], key: "mine", lastUsed: 2 },
        ],
        [1, 2, 3],
      ),
    ).toBe(1);
    expect(
      choose(
        [
          { ids: [1, 2], lastUsed: 2 },
          { ids: [1, 2], lastUsed: 1 },
        ],
        [1, 2, 3],
      ),
    ).toBe(1);
  });

  it("chooses an empty slot if a short common prefix would evict a long conversation", () => {
    expect(choose([{ ids: [1, 2, 3, 4, 5] }, { ids: [] }], [1, 2, 9])).toBe(1);
    expect(choose([{ ids: [1, 2, 3, 4] }, { ids: [] }], [1, 2, 9])).toBe(0);
  });

  it("falls back to the key's own slot, then to the oldest one", () => {
    const others = [
      { ids: [5, 5, 5], key: "other", lastUsed: 3 },
      { ids: [6, 6, 6], key: "another", lastUsed: 1 },
    ];
    expect(choose([...others, { ids: [7, 7, 7], key: "mine", lastUsed: 9 }], [1, 2])).toBe(2);
    expect(choose(others, [1, 2])).toBe(1);
  });

  it("reuses at least as many tokens as any slot whose cache the prompt continues", () => {
    const ids = fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(ids, { minLength: 1, maxLength: 5 }), ids, (caches, prompt) => {
        const chosen =
          caches[
            choose(
              caches.map((cache) => ({ ids: cache })),
              prompt,
            )
          ] ?? [];
        const continued = caches.filter((cache) => isPrefix(cache, prompt)).map((cache) => cache.length);
        expect(sharedPrefix(chosen, prompt)).toBeGreaterThanOrEqual(Math.max(0, ...continued));
      }),
    );
  });
});

describe("CachedTokens", () => {
  it("counts the tokens that a prompt shares with the cache", () => {
    const ids = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 12 });
    fc.assert(
      fc.property(ids, ids, fc.nat(12), (first, prompt, cut) => {
        const cached = new CachedTokens(32);
        cached.append(first);
        cached.truncate(cut);
        const kept = first.slice(0, cut);
        expect(cached.length).toBe(kept.length);
        expect(cached.commonPrefix(Int32Array.from(prompt))).toBe(sharedPrefix(kept, prompt));
      }),
    );
  });
});

function sharedPrefix(a: readonly number[], b: readonly number[]): number {
  const end = a.findIndex((id, index) => id !== b[index]);
  return end < 0 ? a.length : end;
}

function isPrefix(a: readonly number[], b: readonly number[]): boolean {
  return sharedPrefix(a, b) === a.length;
}
