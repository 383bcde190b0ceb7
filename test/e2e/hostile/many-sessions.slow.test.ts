import { expect, it, onTestFinished } from "vitest";
import type { Overview } from "../../../src/view/api.js";
import { PAGE_CHANGES } from "../../../src/view/changes/change-log.js";
import { startVictim } from "./victim.js";

const SESSIONS = 2000;
const AT_ONCE = 20;

/** A bench measures how long other calls wait. This tests what bounds the wait: the length of a page. */
it("lists many sessions at /ui in short pages, while agents call", async () => {
  const victim = await startVictim(["server.ui=true", "model.path=null"]);
  onTestFinished(async () => void (await victim.stop()));
  await victim.post("/grant_capacity", { slots: SESSIONS + 1 });
  const start = async () => {
    const { session_id: id } = (await victim.post("/rl/start_session")).json<{ session_id: string }>();
    return id;
  };
  const ids: string[] = [];
  while (ids.length < SESSIONS) ids.push(...(await Promise.all(Array.from({ length: AT_ONCE }, start))));
  const { session_api_key: key } = (await victim.post("/rl/start_session")).json<{ session_api_key: string }>();
  for (const wrong of [null, key]) expect((await victim.send("/ui/api/overview", {}, wrong)).status).not.toBe(200);

  const listed = new Set<string | null>();
  for (let [after, more] = [0, true]; more; ) {
    const read = victim.send(`/ui/api/overview?after=${after}`);
    expect((await victim.chat(key, "a", { max_tokens: 2 })).refusal).toBe("200");
    const page = (await read).json<Overview>();
    expect(page.episodes.index.length + page.removed.length).toBeLessThanOrEqual(PAGE_CHANGES);
    for (const id of page.episodes.session_id) listed.add(id);
    ({ revision: after, more } = page);
  }
  expect(ids.filter((id) => !listed.has(id))).toEqual([]);
}, 120_000);
