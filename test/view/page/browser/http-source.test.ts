import { afterEach, describe, expect, it, vi } from "vitest";
import { AdminKeyPrompt } from "../../../../src/view/page/source/admin-key-prompt.js";
import { createHttpSource, NotFoundError } from "../../../../src/view/page/source/http-source.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

const json = (body: unknown, status = 200): Response => new Response(JSON.stringify(body), { status });
const refusal = (status: number, message: string): Response => json({ error: { message } }, status);

/** Opens a source whose server gives these answers, with the keys that the user types one after the other. */
function open(answers: readonly Response[], typed: readonly string[] = []) {
  const [asked, prompts]: [[path: string, request: RequestInit][], string[]] = [[], []];
  const [left, keys] = [[...answers], [...typed]];
  vi.stubGlobal("fetch", async (path: string, request: RequestInit) => {
    asked.push([path, request]);
    return left.shift() ?? refusal(500, "no answer is left");
  });
  const stored = new Map<string, string>();
  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
  };
  const key = new AdminKeyPrompt(async (message) => {
    prompts.push(message);
    return keys.shift() ?? "";
  }, storage);
  const sentKeys = () => asked.map(([, { headers }]) => new Headers(headers).get("authorization"));
  return { source: createHttpSource(key), asked, prompts, sentKeys };
}

type OpenedSource = ReturnType<typeof createHttpSource>;
const { signal } = new AbortController();

describe("a run of a server", () => {
  it.each<[path: string, ask: (source: OpenedSource) => Promise<unknown> | undefined]>([
    ["api/overview", (source) => source.overview()],
    ["api/overview?after=7", (source) => source.overview(7)],
    ["api/changes?after=7", (source) => source.changes?.(7, signal)],
    ["api/episodes/3", (source) => source.episode(3)],
    [
      "api/episodes/3/tokens/1?from=5&count=9",
      (source) => source.tokens({ episode: 3, interaction: 1, from: 5, count: 9 }),
    ],
    ["api/episodes/3/tokens/1/8", (source) => source.items?.({ episode: 3, interaction: 1, token: 8 })],
    ["api/episodes?text=a%26b", (source) => source.search("a&b", signal)],
  ])("is asked for as JSON: %s", async (path, ask) => {
    const { source, asked } = open([json({ answer: 1 })]);
    expect(await ask(source)).toEqual({ answer: 1 });
    expect(asked.map(([asks]) => asks)).toEqual([path]);
    expect(asked[0]?.[1].headers).toEqual({ accept: "application/json" });
  });

  it("is no longer waited for after an abort", async () => {
    const { source, asked } = open([json({}), json({}), json({})]);
    await source.changes?.(1, signal);
    await source.search("text", signal);
    await source.episode(1);
    expect(asked.map(([, request]) => request.signal)).toEqual([signal, signal, undefined]);
  });

  it("has images as bytes", async () => {
    const { source, asked } = open([new Response(Uint8Array.of(1, 2, 3))]);
    expect(await source.image({ episode: 3, sha256: "a/b" })).toEqual(Uint8Array.of(1, 2, 3));
    expect(asked).toEqual([["api/episodes/3/images/a%2Fb", { headers: { accept: "image/*" } }]]);
  });

  it.each([
    [404, { error: { message: "no episode" } }, "no episode", true],
    [501, { message: "not here" }, "not here", true],
    [500, { error: { message: "broken" } }, "broken", false],
    [502, { error: "text" }, "The server answered with status 502.", false],
    [502, { error: null, message: 5 }, "The server answered with status 502.", false],
    [503, null, "The server answered with status 503.", false],
    [503, "busy", "The server answered with status 503.", false],
  ])("reports an answer of status %i with %j", async (status, body, message, isNotFound) => {
    const error = await open([json(body, status)])
      .source.episode(0)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message });
    expect(error instanceof NotFoundError).toBe(isNotFound);
  });

  it("reports an answer that is not JSON by its status", async () => {
    const { source } = open([new Response("<html>", { status: 502 })]);
    await expect(source.episode(0)).rejects.toThrow("The server answered with status 502.");
  });
});

describe("a run of a server that requires a key", () => {
  it("asks for the key until the server takes it", async () => {
    const { source, prompts, sentKeys } = open(
      [refusal(401, "no key"), refusal(401, "unknown key"), refusal(403, "a session's key"), json({ found: true })],
      ["wrong", "session", "admin"],
    );
    expect(await source.episode(0)).toEqual({ found: true });
    expect(prompts).toEqual(["Enter the admin key of this server.", "unknown key", "a session's key"]);
    expect(sentKeys()).toEqual([null, "Bearer wrong", "Bearer session", "Bearer admin"]);
  });

  it("does not ask for a key if the server refuses a request without one for another reason", async () => {
    const { source, prompts } = open([refusal(403, "another site")]);
    await expect(source.episode(0)).rejects.toThrow("another site");
    expect(prompts).toEqual([]);
  });
});
