import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { episodeLine } from "../../../src/transcript/schema.js";
import type { Overview, SearchResult, TokenItems, TokenSlice } from "../../../src/view/api.js";
import type { PageFiles } from "../../../src/view/http/page-files.js";
import { ServerSource } from "../../../src/view/sources/server-source.js";
import { Gateway, startWorker } from "../../gateway/workers.js";
import { Proxy, type ProxyOptions } from "../../helpers/proxy.js";
import { ScriptedEngine } from "../../helpers/scripted-engine.js";
import { startTeacherServer } from "../../helpers/teacher-server.js";

const PAGE: PageFiles = new Map([
  ["index.html", { type: "text/html; charset=utf-8", content: Buffer.from("<!doctype html>page") }],
  ["page.js", { type: "text/javascript; charset=utf-8", content: Buffer.from("1") }],
]);

const user = (content: string) => ({ role: "user", content });

async function startProxy({ settings, ...options }: ProxyOptions<ScriptedEngine> = {}): Promise<Proxy> {
  const proxy = await Proxy.start({ ...options, settings: { ui: PAGE, ...settings } });
  onTestFinished(() => proxy.close());
  return proxy;
}

const get = async <T>(proxy: Proxy, path: string): Promise<T> =>
  (await proxy.request({ url: `/ui/api/${path}` })).json<T>();

describe("/ui", () => {
  it("is absent by default", async () => {
    const proxy = await startProxy({ settings: { ui: undefined } });
    expect((await proxy.request({ url: "/ui/" })).refusal).toBe("404 not_found");
    expect((await proxy.request({ url: "/ui/api/overview" })).refusal).toBe("404 not_found");
  });

  it("serves the page without a key, and its API with the admin key only", async () => {
    const proxy = await startProxy();
    const session = await proxy.session();
    expect((await proxy.request({ url: "/ui/" }, null)).raw.toString()).toBe("<!doctype html>page");
    expect((await proxy.request({ url: "/ui" }, null)).headers["location"]).toBe("/ui/");
    expect((await proxy.request({ url: "/ui/page.js" }, null)).status).toBe(200);
    for (const path of [
      "overview",
      "changes?after=0",
      "episodes/0",
      "episodes/0/tokens/0",
      "episodes/0/tokens/0/0",
      "episodes?text=a",
    ]) {
      const url = `/ui/api/${path}`;
      expect((await proxy.request({ url }, null)).refusal).toBe("401 missing_api_key");
      expect((await proxy.request({ url }, session.key)).refusal).toBe("403 wrong_key_kind");
      expect((await proxy.request({ url: `${url}${path.includes("?") ? "&" : "?"}key=sk-admin` }, null)).status).toBe(
        401,
      );
    }
  });

  it.each(["/ui/", "/ui/page.js", "/ui/api/overview"])(
    "sends security headers with %s, also without a key",
    async (url) => {
      const proxy = await startProxy();
      for (const { headers } of [await proxy.request({ url }), await proxy.request({ url }, null)]) {
        expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
        expect(headers["x-content-type-options"]).toBe("nosniff");
        expect(headers["cache-control"]).toBe("no-store");
      }
      expect((await proxy.request({ url: "/livez" })).headers["content-security-policy"]).toBeUndefined();
    },
  );

  it("shows active, ended and retained sessions as episodes", async () => {
    const proxy = await startProxy();
    const [first, second] = [await proxy.session({ task_id: "math" }), await proxy.session({ group_id: "g" })];
    const { messages } = await proxy.turn(first, [user("one")]);
    await proxy.turn(first, [...messages, user("two")]);
    await proxy.reward(first, 0.5);
    await proxy.end(first);
    expect((await proxy.export(first)).status).toBe(200);
    const { episodes, run } = await get<Overview>(proxy, "overview");
    expect(run).toMatchObject({ model: "tiny", model_digest: expect.any(String) });
    expect(episodes.session_id).toEqual([first.id, second.id]);
    expect([episodes.calls, episodes.turns, episodes.reward]).toEqual([
      [2, 0],
      [2, 0],
      [0.5, null],
    ]);
    const episode = episodeLine.parse(await get(proxy, "episodes/0"));
    expect(episode).toMatchObject({
      task_id: "math",
      interactions: [{ kept: 0 }, { kept: 2, messages: [user("two")] }],
    });
  });

  it("shows the tokens of a call, with their texts", async () => {
    const proxy = await startProxy();
    const session = await proxy.session();
    const { messages } = await proxy.turn(session, [user("Grüße, 日本!")]);
    await proxy.turn(session, [...messages, user("two")]);
    const root = await get<TokenSlice>(proxy, "episodes/0/tokens/0");
    expect(root.ids.length).toBe(root.total);
    expect(root.texts?.join("")).toContain("Grüße, 日本!");
    expect(root.loss_mask.indexOf(1)).toBe(root.output_start);
    expect(root.versions.slice(root.output_start)).toEqual(root.ids.slice(root.output_start).map(() => 0));
    const child = await get<TokenSlice>(proxy, "episodes/0/tokens/1");
    expect(child.texts?.join("")).toContain("two");
    // Recorded after the first look.
    await proxy.turn(session, [user("another")]);
    expect((await get<TokenSlice>(proxy, "episodes/0/tokens/2")).texts?.join("")).toContain("another");
    // Looking changes nothing: the session can go on and be exported.
    await proxy.end(session);
    expect((await proxy.export(session)).status).toBe(200);
  });

  it("shows the experts of a token, and which layers have experts", async () => {
    const engine = Object.assign(new ScriptedEngine(), { channelMetadata: { moe_layers: [1] } });
    engine.onSampled = (generation, prompt, output) => {
      const values = Uint8Array.from([...prompt, ...output].slice(1).flatMap((_, at) => [0, 0, at % 8, 9]));
      generation.addChannel({ name: "routed_experts", dtype: "U8", shape: [2, 2], of: "sequence" }, 0, values);
    };
    const proxy = await startProxy({ engine });
    await proxy.turn(await proxy.session(), [user("one")]);
    const { channels, total } = await get<TokenSlice>(proxy, "episodes/0/tokens/0");
    expect(channels).toMatchObject([{ name: "routed_experts", values: "experts", shape: [2, 2], layers: [1] }]);
    expect(channels[0]).not.toHaveProperty("column");
    const itemsOf = (token: number) => get<TokenItems>(proxy, `episodes/0/tokens/0/${token}`);
    expect(await itemsOf(3)).toEqual([{ name: "routed_experts", values: [0, 0, 3, 9], total: 4 }]);
    expect(await itemsOf(total - 1)).toEqual([{ name: "routed_experts", values: null, total: 0 }]);
    expect((await proxy.request({ url: `/ui/api/episodes/0/tokens/0/${total}` })).refusal).toBe("404 not_found");
  });

  it("shows a teacher's scores as soon as they are there, and asks for none", async () => {
    const teacher = await startTeacherServer("sglang");
    onTestFinished(() => teacher.close());
    const settings = {
      name: "big",
      type: "sglang" as const,
      topLogprobs: 2,
      maxInflight: 4,
      timeoutSeconds: 5,
      atEnd: false,
    };
    const proxy = await startProxy({ settings: { teachers: [{ ...settings, urls: [teacher.url] }] } });
    const session = await proxy.session();
    await proxy.turn(session, [user("one")]);
    expect((await get<TokenSlice>(proxy, "episodes/0/tokens/0")).channels).toEqual([]);
    expect(teacher.requests).toEqual([]);
    await proxy.end(session);
    expect((await proxy.export(session)).status).toBe(200);
    const { channels, total } = await get<TokenSlice>(proxy, "episodes/0/tokens/0");
    const { column = [] } = channels.find(({ name }) => name === "teacher_big_logprobs") ?? {};
    expect(column.map((value) => typeof value)).toEqual([
      "object",
      ...Array.from({ length: total - 1 }, () => "number"),
    ]);
    const items = await get<TokenItems>(proxy, "episodes/0/tokens/0/1");
    const ids = items.find(({ name }) => name === "teacher_big_top_ids");
    expect([ids?.values?.length, ids?.texts?.length]).toEqual([2, 2]);
  });

  it("returns changes: new sessions, new calls and rewards, and sessions that were deleted", async () => {
    const proxy = await startProxy();
    const sessions = [await proxy.session(), await proxy.session(), await proxy.session()] as const;
    const { revision } = await get<Overview>(proxy, "overview");
    await proxy.turn(sessions[1], [user("one")]);
    const called = await get<Overview>(proxy, `changes?after=${revision}`);
    expect([called.episodes.index, called.episodes.calls]).toEqual([[1], [1]]);
    await proxy.reward(sessions[1], 0.25);
    await proxy.reward(sessions[1], 0.75);
    const rewarded = await get<Overview>(proxy, `changes?after=${called.revision}`);
    expect([rewarded.episodes.index, rewarded.episodes.reward]).toEqual([[1], [0.75]]);
    await proxy.request({ method: "DELETE", url: `/rl/sessions/${sessions[0].id}` });
    const deleted = await get<Overview>(proxy, `changes?after=${rewarded.revision}`);
    expect([deleted.removed, deleted.episodes.index]).toEqual([[0], []]);
    expect((await proxy.request({ url: "/ui/api/episodes/0" })).refusal).toBe("404 not_found");
    // A page that was opened before the server restarted.
    const { reset, episodes } = await get<Overview>(proxy, "changes?after=5");
    expect([reset, episodes.session_id]).toEqual([true, [sessions[2].id, sessions[1].id]]);
  });

  it("finds text in messages", async () => {
    const proxy = await startProxy();
    const sessions = [await proxy.session(), await proxy.session()] as const;
    await proxy.turn(sessions[1], [user("A needle in a haystack")]);
    expect(await get<SearchResult>(proxy, "episodes?text=NEEDLE")).toEqual({ episodes: [1], complete: true });
    expect(await get<SearchResult>(proxy, "episodes?text=nothing")).toEqual({ episodes: [], complete: true });
  });

  it("is refused by a gateway, which says where to look", async () => {
    const worker = await startWorker("a");
    const gateway = await Gateway.start({ urls: [worker.url] });
    for (const url of ["/ui", "/ui/", "/ui/api/overview"]) {
      const response = await fetch(`${gateway.url}${url}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { message: expect.stringMatching(/gateway has no page/) } });
    }
  });
});

describe("the viewer of a running server", () => {
  async function listen(settings: ProxyOptions<ScriptedEngine>["settings"] = {}) {
    const proxy = await startProxy({ settings });
    await proxy.app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = z.object({ port: z.int() }).parse(proxy.app.server.address());
    return { proxy, url: `http://127.0.0.1:${port}` };
  }

  it("asks the server with the admin key", async () => {
    const { proxy, url } = await listen();
    const session = await proxy.session();
    await proxy.turn(session, [user("one")]);
    await using source = new ServerSource(`${url}/`, "sk-admin-0123456789abcdef");
    await source.check();
    const { signal } = new AbortController();
    expect((await source.overview()).episodes.session_id).toEqual([session.id]);
    expect((await source.episode(0)).interactions.length).toBe(1);
    expect((await source.tokens({ episode: 0, interaction: 0, from: 1, count: 2 })).ids.length).toBe(2);
    expect(await source.items({ episode: 0, interaction: 0, token: 0 })).toEqual([]);
    expect(await source.search("one", signal)).toEqual({ episodes: [0], complete: true });
    expect((await source.changes(0, signal)).reset).toBe(true);
    await expect(source.episode(7)).rejects.toMatchObject({ code: "not_found" });
  });

  it("says why it shows nothing", async () => {
    const { url } = await listen();
    const refused = new ServerSource(url, "sk-admin-wrong-wrong-wrong");
    await expect(refused.check()).rejects.toThrow(/ROLLTAPE_ADMIN_API_KEY must be its admin key/);
    const { url: plain } = await listen({ ui: undefined });
    await expect(new ServerSource(plain, "sk-admin-0123456789abcdef").check()).rejects.toThrow(
      /Set server\.ui to true/,
    );
    await expect(new ServerSource("http://127.0.0.1:1", "sk").check()).rejects.toThrow(/does not answer/);
  });
});
