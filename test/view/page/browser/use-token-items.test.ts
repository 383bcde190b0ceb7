import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Source, TokenItems, TokenPlace } from "../../../../src/view/api.js";
import { useTokenItems } from "../../../../src/view/page/tokens/channels/use-token-items.js";
import { renderHook } from "./render-hook.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const itemsOf = (token: number): TokenItems => [{ name: "scores", values: [token], total: 1 }];

/** Points at tokens, one after the other. */
function open(read: NonNullable<Source["items"]> | null = async ({ token }) => itemsOf(token)) {
  const asked: TokenPlace[] = [];
  const items = (place: TokenPlace) => (asked.push(place), read?.(place));
  const source = (read ? { items } : {}) as Source;
  let position = -1;
  const { latest, rerender } = renderHook(() => useTokenItems({ source, episode: 2, interaction: 1 }, position));
  const wait = (milliseconds: number) => act(async () => void (await vi.advanceTimersByTimeAsync(milliseconds)));
  const point = async (at: number, milliseconds = 80) => {
    position = at;
    rerender();
    await wait(milliseconds);
    return latest();
  };
  return { point, asked, wait };
}

describe("the items of the token under the pointer", () => {
  it("are read when the pointer stays, and remembered", async () => {
    const { point, asked } = open();
    expect(await point(4, 79)).toBeNull();
    expect(await point(5, 79)).toBeNull();
    expect(asked).toEqual([]);
    expect(await point(6)).toEqual({ position: 6, items: itemsOf(6), error: null });
    expect(await point(7)).toEqual({ position: 7, items: itemsOf(7), error: null });
    expect(await point(6, 0)).toEqual({ position: 6, items: itemsOf(6), error: null });
    expect(asked).toEqual([6, 7].map((token) => ({ episode: 2, interaction: 1, token })));
  });

  it("are not asked for outside of the tokens, or if the source has none", async () => {
    const { point, asked } = open();
    expect(await point(-1)).toBeNull();
    expect(asked).toEqual([]);
    expect(await point(0)).toMatchObject({ position: 0 });
    expect(asked.length).toBe(1);
    expect(await open(null).point(0)).toBeNull();
  });

  it("are replaced by the reason if they cannot be read", async () => {
    const { point } = open(() => Promise.reject(new Error("no batch")));
    expect(await point(3)).toEqual({ position: 3, items: [], error: "no batch" });
  });

  it("do not appear after the pointer has moved on, but are remembered", async () => {
    let answer = () => undefined as void;
    const { point, asked, wait } = open(({ token }) => {
      if (token !== 3) return Promise.resolve(itemsOf(token));
      return new Promise((resolve) => (answer = () => resolve(itemsOf(token))));
    });
    await point(3);
    await point(4);
    answer();
    await wait(0);
    expect(await point(4, 0)).toMatchObject({ position: 4 });
    expect(await point(3, 0)).toMatchObject({ position: 3, items: itemsOf(3) });
    expect(asked.length).toBe(2);
  });

  it("are remembered for the last 256 tokens", async () => {
    const { point, asked } = open();
    for (let token = 0; token <= 256; token++) await point(token);
    await point(1);
    expect(asked.length).toBe(257);
    await point(0);
    expect(asked.length).toBe(258);
  });
});
