import { createHash } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ServerSource } from "../../../src/view/sources/server-source.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

const json = (body: unknown, status = 200): Response => new Response(JSON.stringify(body), { status });
const refusal = (status: number, error: object): Response => json({ error }, status);

/** Opens a source whose server gives this answer, or fails with it. */
function open(answer: Response | Error, address = "http://127.0.0.1:8090") {
  const asked: [url: string, request: RequestInit][] = [];
  vi.stubGlobal("fetch", async (url: URL, request: RequestInit) => {
    asked.push([url.href, request]);
    if (answer instanceof Error) throw answer;
    return answer;
  });
  return { source: new ServerSource(address, "sk-admin"), asked };
}

const { signal } = new AbortController();

describe("a running server", () => {
  it.each<[path: string, ask: (source: ServerSource) => Promise<unknown>]>([
    ["overview?after=0", (source) => source.overview()],
    ["overview?after=7", (source) => source.overview(7)],
    ["changes?after=7", (source) => source.changes(7, signal)],
    ["episodes/3", (source) => source.episode(3)],
    [
      "episodes/3/tokens/1?from=5&count=9",
      (source) => source.tokens({ episode: 3, interaction: 1, from: 5, count: 9 }),
    ],
    ["episodes/3/tokens/1/8", (source) => source.items({ episode: 3, interaction: 1, token: 8 })],
    ["episodes?text=a%26b", (source) => source.search("a&b", signal)],
  ])("is asked with the admin key, which follows no redirect: %s", async (path, ask) => {
    const { source, asked } = open(json({ answer: 1 }));
    expect(await ask(source)).toEqual({ answer: 1 });
    expect(asked).toMatchObject([
      [`http://127.0.0.1:8090/ui/api/${path}`, { headers: { authorization: "Bearer sk-admin" }, redirect: "error" }],
    ]);
  });

  it.each(["", "/", "///", "/ui", "/ui/"])("has its page below its address, which may end with %j", async (ending) => {
    for (const base of ["http://host:1", "https://host/a"]) {
      const { source, asked } = open(json({}), `${base}${ending}`);
      await source.episode(1);
      expect(asked[0]?.[0]).toBe(`${base}/ui/api/episodes/1`);
    }
  });

  it("gives images, unless their bytes are damaged", async () => {
    const bytes = Buffer.from("image");
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const { source, asked } = open(new Response(bytes));
    expect(Buffer.from(await source.image({ episode: 2, sha256 }))).toEqual(bytes);
    expect(asked[0]?.[0]).toMatch(`/ui/api/episodes/2/images/${sha256}`);
    await expect(open(new Response("other")).source.image({ episode: 2, sha256 })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it.each<[name: string, answer: Response | Error, code: string, message: string]>([
    ["refuses the key", refusal(401, {}), "upstream_unavailable", "refuses the key. ROLLTAPE_ADMIN_API_KEY must"],
    ["forbids the key", refusal(403, {}), "upstream_unavailable", "refuses the key. ROLLTAPE_ADMIN_API_KEY must"],
    ["gives no reason", json({}, 500), "upstream_unavailable", "answered with status 500 and no message."],
    [
      "gives no JSON",
      new Response("<html>", { status: 502 }),
      "upstream_unavailable",
      "with status 502 and no message.",
    ],
    ["succeeds without JSON", new Response("<html>"), "upstream_unavailable", "with status 200 and no message."],
    [
      "has no page",
      refusal(404, { code: "not_found", message: "There is no route GET /ui/api/episodes/1." }),
      "upstream_unavailable",
      "does not show its episodes. Set server.ui to true",
    ],
    [
      "names the page in another error",
      refusal(400, { code: "transcript_invalid", message: "/ui/api/ needs a number." }),
      "transcript_invalid",
      "/ui/api/ needs a number.",
    ],
    ["has no such episode", refusal(404, { code: "not_found", message: "Gone." }), "not_found", "Gone."],
    ["has an unknown error", refusal(500, { code: "odd", message: "Odd." }), "upstream_unavailable", "answered: Odd."],
    ["has an error without code", refusal(500, { message: "Odd." }), "upstream_unavailable", "answered: Odd."],
    [
      "is not there",
      new Error("refused"),
      "upstream_unavailable",
      "The server at http://127.0.0.1:8090 does not answer.",
    ],
  ])("that %s is an error that says so", async (_, answer, code, message) => {
    const error: unknown = await open(answer)
      .source.episode(1)
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) as string });
  });

  it("that is not there is an error with its cause", async () => {
    const cause = new Error("refused");
    await expect(open(cause).source.episode(1)).rejects.toMatchObject({ cause });
  });

  it("is checked before its page opens", async () => {
    await expect(open(json({})).source.check()).resolves.toBeUndefined();
    await expect(open(new Error("refused")).source.check()).rejects.toMatchObject({
      code: "server_unavailable",
      message: "The server at http://127.0.0.1:8090 does not answer.",
    });
  });

  it("is no longer waited for after an abort", async () => {
    const controller = new AbortController();
    const { source, asked } = open(new Error("refused"));
    const waiting = source.changes(1, controller.signal);
    controller.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    await expect(source.search("text", controller.signal)).rejects.toThrow("gone");
    expect(asked.map(([, request]) => request.signal)).toEqual([controller.signal, controller.signal]);
  });
});
