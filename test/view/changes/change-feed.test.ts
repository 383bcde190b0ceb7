import { describe, expect, it } from "vitest";
import { createDeferred } from "../../../src/support/async/deferred.js";
import { ChangeFeed } from "../../../src/view/changes/change-feed.js";
import { ChangeLog, PAGE_CHANGES } from "../../../src/view/changes/change-log.js";

function logOf(changes: number, base = 5): ChangeLog<number> {
  const log = new ChangeLog<number>(base);
  for (let change = 0; change < changes; change++) log.add(change);
  return log;
}

describe("a log of changes", () => {
  it("gives out every change once, page by page", () => {
    const log = logOf(2 * PAGE_CHANGES + 1);
    const all: number[] = [];
    const sizes: number[] = [];
    let page = log.page(0);
    for (; ; page = log.page(page.revision)) {
      all.push(...page.changes);
      sizes.push(page.changes.length);
      expect(page.reset).toBe(all.length === page.changes.length);
      if (!page.more) break;
    }
    expect(sizes).toEqual([PAGE_CHANGES, PAGE_CHANGES, 1]);
    expect(all).toEqual([...all.keys()]);
    expect(page.revision).toBe(log.revision);
  });

  it("returns what is new since a revision", () => {
    const log = logOf(3);
    const { revision } = log.page(0);
    expect(log.page(revision)).toEqual({ changes: [], revision, more: false, reset: false });
    expect(log.add(7)).toBe(revision + 1);
    expect(log.page(revision)).toEqual({ changes: [7], revision: revision + 1, more: false, reset: false });
  });

  it.each([0, 4, 9, 1e15])("begins anew for revision %d, which is of another log", (revision) => {
    expect(logOf(3).page(revision)).toEqual({ changes: [0, 1, 2], revision: 8, more: false, reset: true });
  });
});

describe("a feed of changes", () => {
  /** A feed whose look for changes adds this many and then waits for `end`. */
  function openFeed(changes: number) {
    const log = new ChangeLog<number>(1);
    const end = createDeferred<void>();
    let looks = 0;
    const feed = new ChangeFeed({
      read: async (progress) => {
        looks++;
        await Promise.resolve();
        for (let change = 0; change < changes; change++) {
          log.add(change);
          progress();
        }
        await end.promise;
      },
      log: () => log,
      pollMilliseconds: 1,
    });
    return { feed, log, end, looks: () => looks };
  }

  it("returns a full page before the look for changes has ended, and the rest when it has", async () => {
    const { feed, end, looks } = openFeed(PAGE_CHANGES + 3);
    const first = await feed.page(0);
    expect([first.changes.length, first.more]).toEqual([PAGE_CHANGES, true]);
    const rest = feed.page(first.revision);
    end.resolve();
    expect(await rest).toMatchObject({ changes: { length: 3 }, more: false });
    expect(looks()).toBe(1);
  });

  it("says that there is more while the look goes on, although the page is the last one so far", async () => {
    const { feed, end } = openFeed(PAGE_CHANGES);
    expect(await feed.page(0)).toMatchObject({ changes: { length: PAGE_CHANGES }, more: true });
    end.resolve();
    await feed.settled();
  });

  it("reports a look that failed to the request that waits for it, and looks again for the next one", async () => {
    const log = logOf(0);
    let looks = 0;
    const read = async (): Promise<void> => {
      if (looks++ === 0) throw new Error("no such file");
      log.add(1);
    };
    const feed = new ChangeFeed({ read, log: () => log, pollMilliseconds: 1 });
    await expect(feed.page(0)).rejects.toThrow("no such file");
    expect((await feed.page(0)).changes).toEqual([1]);
  });
});
