import { expect, it } from "vitest";
import { type Script, startScripted } from "./scripted-worker.js";
import { Gateway } from "./workers.js";

/** `GET /rl/sessions` of a gateway merges the lists of its workers. */

const LIST = "/rl/sessions";

interface Listed {
  readonly sessions: readonly { readonly session_id: string }[];
  readonly has_more: boolean;
  readonly next: string | null;
  readonly unavailable_workers?: readonly string[];
}

const listing =
  (has_more: boolean, ...created: readonly [id: string, at: number][]): Script =>
  () => ({ body: { has_more, sessions: created.map(([session_id, created_at]) => ({ session_id, created_at })) } });

async function listOf(scripts: Readonly<Record<string, Script>>, query = ""): Promise<Listed> {
  const workers = Object.entries(scripts).map(([tag, script]) => startScripted(tag, { [LIST + query]: script }));
  const gateway = await Gateway.start({ urls: (await Promise.all(workers)).map(({ url }) => url) });
  return (await gateway.get(LIST + query)).json<Listed>();
}

it("lists the sessions of all workers by the time of their start, as one page", async () => {
  const list = await listOf({
    one: listing(false, ["a-one-0", 2], ["a-one-1", 4]),
    two: listing(false, ["a-two-0", 3]),
  });
  expect(list.sessions.map(({ session_id: id }) => id)).toEqual(["a-one-0", "a-two-0", "a-one-1"]);
  expect(list).toMatchObject({ has_more: false, next: null });
});

it("has another page if a worker has one, although all lists together are short", async () => {
  const list = await listOf({ one: listing(true, ["a-one-0", 2]), two: listing(false, ["a-two-0", 1]) });
  expect(list).toMatchObject({ has_more: true, next: "2000:a-one-0" });
});

it("names the workers that did not answer", async () => {
  const list = await listOf({ one: listing(false, ["a-one-0", 2]), two: () => "broken" });
  expect(list.sessions).toHaveLength(1);
  expect(list.unavailable_workers).toEqual(["two"]);
});
