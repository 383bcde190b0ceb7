import { describe, expect, it, vi } from "vitest";
import { readEpisode } from "../../../src/server/ui/session-episode.js";
import { SessionList } from "../../../src/server/ui/session-list.js";
import { Session } from "../../../src/session/session.js";
import { SessionRegistry } from "../../../src/session/session-registry.js";
import { LocalSession } from "../../../src/session/trajectory-store.js";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { PAGE_CHANGES } from "../../../src/view/changes/change-log.js";
import { turn, user } from "../../helpers/turn.js";

function createRegistry(sessions: number): SessionRegistry {
  const registry = new SessionRegistry({
    adminKey: "sk-admin-0123456789abcdef",
    timeoutMilliseconds: 3_600_000,
    retention: { milliseconds: 300_000, bytes: 1 << 30 },
  });
  registry.grant(1_000_000);
  for (let i = 0; i < sessions; i++) registry.start({ taskId: "task" });
  return registry;
}

/** Returns the largest number of sessions whose state is read in one step of a look. */
function countPerStep(list: SessionList): number {
  const reads = vi.spyOn(Session.prototype, "state", "get");
  const counts: number[] = [];
  const count = () => counts.push(new Set(reads.mock.contexts).size);
  for (const _ of list.compare(() => undefined)) {
    count();
    reads.mockClear();
  }
  count();
  reads.mockRestore();
  return Math.max(...counts);
}

/** Reads pages until nothing changes any more, as the page does, and does something between them. */
async function readAll(list: SessionList, between: (page: number) => unknown = () => undefined) {
  const shown = new Map<number, string | undefined>();
  const sizes: number[] = [];
  for (let [after, isOver] = [0, false]; !isOver; ) {
    const page = await list.page(after);
    if (page.reset) shown.clear();
    for (const index of page.removed) shown.delete(index);
    for (const [index, { session_id: id }] of page.episodes) shown.set(index, id);
    sizes.push(page.episodes.length + page.removed.length);
    isOver = !page.more && page.revision === after;
    after = page.revision;
    await between(sizes.length);
  }
  return { shown, sizes };
}

describe("the list of sessions", () => {
  it.each([10, 3000])("looks at one session in each step, of %d sessions", (sessions) => {
    const list = new SessionList(createRegistry(sessions));
    expect([countPerStep(list), countPerStep(list)]).toEqual([1, 1]);
  });

  it("returns every session once, in pages", async () => {
    const { shown, sizes } = await readAll(new SessionList(createRegistry(2 * PAGE_CHANGES + 10)));
    expect(Math.max(...sizes)).toBe(PAGE_CHANGES);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(2 * PAGE_CHANGES + 10);
    expect([...shown.keys()]).toEqual([...Array(2 * PAGE_CHANGES + 10).keys()]);
  });

  it("has every session, and no other, while sessions start, change and are deleted", async () => {
    const registry = createRegistry(3 * PAGE_CHANGES);
    const list = new SessionList(registry);
    const { shown } = await readAll(list, async (page) => {
      if (page > 3) return;
      registry.start({ taskId: `late-${page}` });
      // One that was listed already, and one that is still to be listed.
      await registry.delete(`task-${page}`);
      await registry.delete(`task-${3 * PAGE_CHANGES - page}`);
      registry.get(`task-${page + 10}`).end();
    });
    expect(new Set(shown.values())).toEqual(new Set([...registry.all()].map(({ id }) => id)));
    for (const [index, id] of shown) expect(registry.byNumber(index)?.id).toBe(id);
  });

  it("sends a session that changes alone", async () => {
    const registry = createRegistry(20);
    const list = new SessionList(registry);
    const { revision } = await list.page(0);
    registry.get("task-3").end();
    const { episodes, removed, reset } = await list.page(revision);
    expect({ episodes, removed, reset }).toMatchObject({
      episodes: [[3, { duration: expect.any(Number) }]],
      removed: [],
      reset: false,
    });
  });

  it("begins anew when most of what it has logged is out of date", async () => {
    const registry = createRegistry(1000);
    const list = new SessionList(registry);
    const { revision } = await list.page(0);
    for (let call = 0; call < 110; call++) {
      for (const session of registry.all()) session.lastAccessAt = call;
      runAtOnce(list.compare(() => undefined));
    }
    expect((await list.page(revision)).reset).toBe(true);
    const { shown, sizes } = await readAll(list);
    expect(shown.size).toBe(1000);
    // The former log had 110 pages.
    expect(sizes.length).toBeLessThan(20);
  });
});

it("shows an episode with the oldest weight version of its turns", async () => {
  const session = new Session({ id: "a-0", taskId: "a" });
  const recorded = new LocalSession(session);
  for (const [index, versions] of [5, 3, 4].entries())
    recorded.record({ ...turn([user(`task ${index}`)], [1], [2]), versions });
  expect(await readEpisode(session, 2)).toMatchObject({
    type: "episode",
    task: 2,
    accepted: true,
    session_id: "a-0",
    version: 3,
  });
});
