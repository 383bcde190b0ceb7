import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Proxy, type StartedSession } from "../helpers/proxy.js";

interface Page {
  readonly sessions: readonly { readonly session_id: string }[];
  readonly has_more: boolean;
  readonly next: string | null;
}

let proxy: Proxy;
beforeEach(async () => {
  proxy = await Proxy.start();
});
afterEach(() => proxy.close());

const page = async (query: string) => (await proxy.request({ url: `/rl/sessions?${query}` })).json<Page>();
const listIds = ({ sessions }: Page) => sessions.map(({ session_id }) => session_id);

async function start(count: number): Promise<StartedSession[]> {
  const sessions: StartedSession[] = [];
  for (let n = 0; n < count; n++) sessions.push(await proxy.session());
  return sessions;
}

describe("GET /rl/sessions in pages", () => {
  it("returns every session once, in the order of their start", async () => {
    const started = await start(12);
    const seen: string[] = [];
    const more: boolean[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const each: Page = await page(`limit=5${next === "" ? "" : `&after=${encodeURIComponent(next)}`}`);
      seen.push(...listIds(each));
      more.push(each.has_more);
      next = each.next;
    }
    expect(seen).toEqual(started.map(({ id }) => id));
    expect(more).toEqual([true, true, false]);
  });

  it("returns has_more false if the last session fits", async () => {
    await start(3);
    expect(await page("limit=3")).toMatchObject({ has_more: false, next: null });
  });

  it("continues after a session that was deleted since", async () => {
    const [, second, third] = await start(3);
    const { next } = await page("limit=2");
    await proxy.request({ method: "DELETE", url: `/rl/sessions/${second?.id}` });
    expect(listIds(await page(`after=${encodeURIComponent(next ?? "")}`))).toEqual([third?.id]);
  });

  it("pages through the sessions that `state` selects", async () => {
    const started = await start(4);
    for (const session of started.slice(0, 2)) await proxy.end(session);
    const first = await page("state=active&limit=1");
    expect(listIds(first)).toEqual([started[2]?.id]);
    expect(listIds(await page(`state=active&after=${encodeURIComponent(first.next ?? "")}`))).toEqual([started[3]?.id]);
  });

  it("refuses an `after` that no page returned", async () => {
    const reply = await proxy.request({ url: "/rl/sessions?after=task-0" });
    expect([reply.refusal, reply.error.param]).toEqual(["400 invalid_value", "after"]);
    expect(reply.error.message).toBe("after: must be `next` of an earlier page");
  });
});
