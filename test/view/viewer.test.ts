import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { PAGE_CHANGES } from "../../src/view/changes/change-log.js";
import type { PageFiles } from "../../src/view/http/page-files.js";
import { createViewer, startViewer } from "../../src/view/http/start.js";
import { openPath } from "../../src/view/sources/find-source.js";
import type { OpenSource } from "../../src/view/sources/open-source.js";
import { TranscriptSource } from "../../src/view/sources/transcript-source.js";
import { encode, episode, interaction, RUN } from "../transcript/lines.js";
import { recordRun, testFolder } from "./recorded-run.js";

const PAGE: PageFiles = new Map([
  ["index.html", { type: "text/html; charset=utf-8", content: Buffer.from("<!doctype html>page") }],
  ["page.js", { type: "text/javascript; charset=utf-8", content: Buffer.from("1") }],
]);

const HOST = "127.0.0.1:4000";

interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
  readonly json: () => unknown;
}

/** Starts a viewer, and returns a function that requests a path with the cookie. */
async function open(source: OpenSource) {
  const { app, firstPath } = await createViewer(source, PAGE);
  onTestFinished(async () => {
    await app.close();
    await source[Symbol.asyncDispose]();
  });
  const request = async (url: string, headers: Record<string, string> = {}): Promise<Answer> => {
    const answer = await app.inject({ url, headers: { host: HOST, ...headers } });
    return { status: answer.statusCode, headers: answer.headers, body: answer.body, json: () => answer.json() };
  };
  const first = await request(firstPath);
  const cookie = String(first.headers["set-cookie"]).split(";", 1)[0] ?? "";
  const get = (url: string, headers: Record<string, string> = {}) => request(url, { cookie, ...headers });
  return { request, get, first, firstPath, cookie };
}

async function openRun() {
  const run = await recordRun({ layout: "tree" });
  return { run, ...(await open(await TranscriptSource.open(run.transcript))) };
}

describe("the viewer's access", () => {
  it("exchanges a code for a cookie, once", async () => {
    const { first, firstPath, request, get } = await openRun();
    expect(first.status).toBe(200);
    expect(String(first.headers["set-cookie"])).toMatch(
      /^rolltape_view_4000=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(first.body).toBe("<!doctype html>page");
    expect((await request(firstPath)).status).toBe(403);
    expect((await get("/")).body).toBe("<!doctype html>page");
    // A browser that has the cookie may open the printed address again.
    expect((await get(firstPath)).status).toBe(200);
    expect((await get(firstPath)).headers["set-cookie"]).toBeUndefined();
  });

  it.each(["/", "/page.js", "/api/overview", "/api/episodes/0", "/nothing", "/?code=guess", "/?code="])(
    "refuses %s without the cookie",
    async (path) => {
      const { request } = await openRun();
      expect((await request(path)).status).toBe(403);
      expect((await request(path, { cookie: "rolltape_view_4000=guess" })).status).toBe(403);
    },
  );

  it.each(["evil.example", "evil.example:4000", "127.0.0.1.evil.example", "localhost.", ""])(
    "refuses the host name %j, although the cookie is sent",
    async (host) => {
      const { get, firstPath } = await openRun();
      expect((await get("/api/overview", { host })).status).toBeGreaterThanOrEqual(400);
      expect((await get(firstPath, { host })).status).toBeGreaterThanOrEqual(400);
    },
  );

  it.each(["localhost:4000", "[::1]:4000", "LOCALHOST:4000"])("accepts the host name %s", async (host) => {
    const { get } = await openRun();
    expect((await get("/api/overview", { host })).status).toBe(200);
  });

  it.each(["cross-site", "same-site"])("refuses requests to the API from a %s page", async (site) => {
    const { get } = await openRun();
    expect((await get("/api/overview", { "sec-fetch-site": site })).status).toBe(403);
    expect((await get("/page.js", { "sec-fetch-site": site })).status).toBe(403);
    expect((await get("/api/overview", { "sec-fetch-site": "same-origin" })).status).toBe(200);
  });

  it.each(["/", "/page.js", "/api/overview", "/api/episodes/999", "/nothing"])(
    "sends security headers with %s",
    async (path) => {
      const { get, request } = await openRun();
      for (const { headers } of [await get(path), await request(path)]) {
        expect(headers).toMatchObject({
          "content-security-policy": expect.stringMatching(
            /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/,
          ),
          "x-content-type-options": "nosniff",
          "x-frame-options": "DENY",
          "referrer-policy": "no-referrer",
          "cache-control": "no-store",
          "cross-origin-resource-policy": "same-origin",
        });
        expect(headers["access-control-allow-origin"]).toBeUndefined();
      }
    },
  );
});

describe("the viewer's server", () => {
  it("opens the page at its address, and ends with the requests that wait and with its source", async () => {
    const run = await recordRun({ layout: "tree" });
    const source = await TranscriptSource.open(run.transcript);
    const dispose = vi.spyOn(source, Symbol.asyncDispose);
    const viewer = await startViewer(source, PAGE, 0);
    const first = await fetch(viewer.url);
    expect([first.status, await first.text()]).toEqual([200, "<!doctype html>page"]);
    const cookie = String(first.headers.get("set-cookie")).split(";", 1)[0] ?? "";
    const { revision } = await source.overview();
    const asked = vi.spyOn(source, "changes");
    const waiting = fetch(new URL(`/api/changes?after=${revision}`, viewer.url), { headers: { cookie } });
    const outcome = waiting.catch(String);
    await expect.poll(() => asked.mock.calls.length).toBe(1);
    await viewer.close();
    expect(await outcome).toContain("fetch failed");
    expect(dispose).toHaveBeenCalledTimes(1);
    await expect(fetch(viewer.url)).rejects.toThrow("fetch failed");
  });
});

describe("the viewer's API", () => {
  it("lists episodes by column", async () => {
    const { get } = await openRun();
    const overview = (await get("/api/overview")).json();
    expect(overview).toMatchObject({
      name: "batch.safetensors.jsonl",
      run: { model: "tiny" },
      batches: [{ number: 0, file: "batch.safetensors", readable: true }],
      more: false,
      episodes: {
        index: [0, 1],
        session_id: ["s-0", "s-1"],
        batch: [0, 0],
        calls: [5, 5],
        broken: [1, 1],
        finish_reasons: { stop: [5, 5] },
      },
    });
  });

  it("returns an episode and its tokens", async () => {
    const { get, run } = await openRun();
    expect((await get("/api/episodes/1")).json()).toEqual(run.episodes[1]);
    const slice = (await get("/api/episodes/1/tokens/1?from=1&count=2")).json();
    expect(slice).toMatchObject({ ids: [208, 209], output_start: 2, total: 5, temperature: 0.5 });
    expect((await get("/api/episodes/1/tokens/1/4")).json()).toEqual([]);
  });

  it.each([
    ["/api/episodes/2", 404],
    ["/api/episodes/-1", 400],
    ["/api/episodes/1.5", 400],
    ["/api/episodes/x", 400],
    ["/api/episodes/1e400", 400],
    ["/api/episodes/0/tokens/99", 404],
    ["/api/episodes/0/tokens/0?count=4097", 400],
    ["/api/episodes/0/tokens/0?from=-1", 400],
    ["/api/episodes/0/tokens/0/99", 404],
    ["/api/episodes/0/tokens/0/-1", 400],
    ["/api/episodes?text=", 400],
    ["/api/episodes", 400],
    ["/api/changes", 400],
    ["/api/nothing", 404],
    ["/../package.json", 404],
    ["/..%2fpackage.json", 404],
  ])("answers %s with %i", async (path, status) => {
    const { get } = await openRun();
    const answer = await get(path);
    expect(answer.status).toBe(status);
    expect(answer.json()).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } });
  });

  it("finds text in messages, without regard to case, and not in the names of fields", async () => {
    const { get } = await openRun();
    const search = async (text: string) =>
      (await get(`/api/episodes?${new URLSearchParams({ text }).toString()}`)).json();
    expect(await search("of S-1")).toEqual({ episodes: [1], complete: true });
    expect(await search("ANSWER 4")).toEqual({ episodes: [0, 1], complete: true });
    expect(await search("finish_reason")).toEqual({ episodes: [], complete: true });
    expect(await search("nowhere")).toEqual({ episodes: [], complete: true });
  });

  it("finds text of other scripts, and text that JSON escapes", async () => {
    const folder = testFolder();
    const path = join(folder, "a.jsonl");
    const contents = ['Ärger mit "Größe"\n\tzwei', "日本語", "plain"];
    const lines = contents.map((content, task) =>
      episode({ task, interactions: [interaction({ answer: { role: "assistant", content } })] }),
    );
    writeFileSync(path, encode([RUN, ...lines]).transcript);
    await using source = await TranscriptSource.open(path);
    const { signal } = new AbortController();
    expect((await source.search("ÄRGER", signal)).episodes).toEqual([0]);
    expect((await source.search('"größe"\n\tzw', signal)).episodes).toEqual([0]);
    expect((await source.search("本", signal)).episodes).toEqual([1]);
  });

  it("finds text anywhere in a file of several megabytes, also in a line of more than two", async () => {
    const folder = testFolder();
    const path = join(folder, "a.jsonl");
    const filler = "x".repeat(700_000);
    const contents = [
      ...Array.from({ length: 9 }, (_, task) => `${filler} word-${task}`),
      `${filler.repeat(4)} word-9`,
    ];
    const lines = [...contents, "after word-10"].map((content, task) =>
      episode({ task, interactions: [interaction({ answer: { role: "assistant", content } })] }),
    );
    writeFileSync(path, encode([RUN, ...lines]).transcript);
    await using source = await TranscriptSource.open(path);
    const { signal } = new AbortController();
    for (const task of lines.keys()) {
      expect(await source.search(`word-${task}`, signal)).toEqual({
        episodes: task === 1 ? [1, 10] : [task],
        complete: true,
      });
    }
  });
});

describe("changes of a transcript that grows", () => {
  async function openGrowing() {
    const folder = testFolder();
    const path = join(folder, "a.jsonl");
    const [first, second] = [0, 1].map((task) => episode({ session_id: `s-${task}`, task }));
    const batch = { type: "batch" as const, number: 0, file: "b.safetensors", version: 1, at: 1, session_ids: ["s-1"] };
    const lines = [RUN, ...[first, second].filter((line) => line !== undefined)];
    writeFileSync(path, encode(lines).transcript);
    const source = await TranscriptSource.open(path);
    onTestFinished(async () => source[Symbol.asyncDispose]());
    const { signal } = new AbortController();
    return { path, source, batch, signal };
  }

  it("returns new episodes, and earlier ones that a new batch contains", async () => {
    const { path, source, batch, signal } = await openGrowing();
    const { revision } = await source.overview();
    appendFileSync(path, `${JSON.stringify(episode({ session_id: "s-2", task: 2 }))}\n`);
    const third = await source.changes(revision, signal);
    expect(third.revision).toBeGreaterThan(revision);
    expect([third.episodes.index, third.episodes.session_id]).toEqual([[2], ["s-2"]]);
    appendFileSync(path, `${JSON.stringify(batch)}\n`);
    const taken = await source.changes(third.revision, signal);
    expect([taken.episodes.index, taken.episodes.batch]).toEqual([[1], [0]]);
    expect(taken.batches).toEqual([{ number: 0, file: "b.safetensors", version: 1, at: 1, readable: false }]);
    expect((await source.changes(revision, signal)).episodes.index).toEqual([2, 1]);
  });

  it("lists a long transcript page by page, and each episode with its batch", async () => {
    const count = 2 * PAGE_CHANGES + 500;
    const ids = Array.from({ length: count }, (_, index) => `s-${index}`);
    const batch = { type: "batch" as const, number: 7, file: "b.safetensors", version: 1, at: 1, session_ids: ids };
    const path = join(testFolder(), "long.jsonl");
    const episodes = ids.map((id, task) => episode({ session_id: id, task }));
    writeFileSync(path, encode([RUN, ...episodes, batch]).transcript);
    await using source = await TranscriptSource.open(path);
    const batchOf = new Map<number, number | undefined>();
    for (let [after, more] = [0, true]; more; ) {
      const page = await source.overview(after);
      expect(page.episodes.index.length).toBeLessThanOrEqual(PAGE_CHANGES);
      for (const [at, index] of page.episodes.index.entries()) batchOf.set(index, page.episodes.batch[at]);
      [after, more] = [page.revision, page.more];
    }
    expect([...batchOf]).toEqual(ids.map((_, index) => [index, 7]));
  });

  it("does not return a line before it is complete", async () => {
    const { path, source, signal } = await openGrowing();
    const { revision } = await source.overview();
    const line = JSON.stringify(episode({ session_id: "s-2", task: 2 }));
    appendFileSync(path, line.slice(0, 50));
    expect((await source.overview()).revision).toBe(revision);
    const waiting = source.changes(revision, signal);
    appendFileSync(path, `${line.slice(50)}\n`);
    expect((await waiting).episodes.session_id).toEqual(["s-2"]);
  });

  it("returns all episodes if another job replaces the file", async () => {
    const { path, source, signal } = await openGrowing();
    const { revision } = await source.overview();
    rmSync(path);
    writeFileSync(path, encode([{ ...RUN, started_at: 2000 }, episode({ session_id: "new" })]).transcript);
    const changed = await source.changes(revision, signal);
    expect(changed.revision).toBeGreaterThan(revision);
    expect([changed.reset, changed.episodes.session_id]).toEqual([true, ["new"]]);
  });

  it("stops waiting if the client disconnects", async () => {
    const { source } = await openGrowing();
    const { revision } = await source.overview();
    const controller = new AbortController();
    const waiting = source.changes(revision, controller.signal);
    controller.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
  });
});

describe("untrusted transcripts", () => {
  it.each([
    "/etc/passwd",
    "../outside.safetensors",
    "sub/inside.safetensors",
    "..",
    ".",
    "",
    "a\0b",
    "link.safetensors",
    "folder",
  ])("never open the tensor file %j", async (file) => {
    const run = await recordRun();
    const inner = join(run.folder, "inner");
    mkdirSync(join(inner, "sub"), { recursive: true });
    mkdirSync(join(inner, "folder"));
    // Files that exist, and would be read.
    for (const path of ["outside.safetensors", "inner/sub/inside.safetensors"]) {
      symlinkSync(join(run.folder, "batch.safetensors"), join(run.folder, path));
    }
    symlinkSync(join(run.folder, "batch.safetensors"), join(inner, "link.safetensors"));
    const batch = { type: "batch" as const, number: 0, file, version: 1, at: 1, session_ids: ["s-0"] };
    const path = join(inner, "a.jsonl");
    writeFileSync(path, encode([RUN, ...run.episodes, batch]).transcript);
    await using source = await TranscriptSource.open(path);
    expect((await source.overview()).batches).toMatchObject([{ readable: false }]);
    const range = { episode: 0, interaction: 0, from: 0, count: 1 };
    await expect(source.tokens(range)).rejects.toMatchObject({ code: "tokens_unavailable" });
  });

  it("give errors for episodes whose line does not fit the index", async () => {
    const folder = testFolder();
    const path = join(folder, "a.jsonl");
    const { transcript, index } = encode([RUN, episode(), episode({ session_id: "s-1", task: 1 })]);
    writeFileSync(path, transcript);
    writeFileSync(`${path}.index`, index);
    const { get } = await open(await TranscriptSource.open(path));
    // Overwritten after the index was read, in the same length.
    writeFileSync(path, transcript.replace('"parent":-1', '"parent":9e'), { flag: "r+" });
    expect((await get("/api/episodes/0")).json()).toMatchObject({ error: { code: "transcript_invalid" } });
    expect((await get("/api/episodes/1")).status).toBe(200);
  });

  it("with damaged lines show the others, and say what was skipped", async () => {
    const folder = testFolder();
    const path = join(folder, "a.jsonl");
    const line = JSON.stringify(episode());
    const bad = [
      line.replace('"reward":0', '"reward":NaN'),
      line.replace('"reward":0', '"reward":1e999'),
      line.replace('"task":0', '"task":-1'),
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      "null",
      "",
      '{"type":"episode"}',
      "\u0000\u0001",
    ];
    writeFileSync(path, `${[JSON.stringify(RUN), ...bad, line].join("\n")}\n`);
    const { get } = await open(await TranscriptSource.open(path));
    const overview = (await get("/api/overview")).json() as { episodes: { task: number[] }; notices: string[] };
    expect(overview.episodes.task).toEqual([0]);
    expect(overview.notices.length).toBeGreaterThanOrEqual(bad.length);
    expect((await get("/api/episodes/0")).status).toBe(200);
  });

  it("are returned as JSON, whatever their texts are", async () => {
    const folder = testFolder();
    const path = join(folder, "a.jsonl");
    const evil = "</script><script>alert(1)</script>\u2028\u202e\0";
    writeFileSync(path, encode([RUN, episode({ task_id: evil, session_id: evil })]).transcript);
    const { get } = await open(await TranscriptSource.open(path));
    for (const url of ["/api/overview", "/api/episodes/0"]) {
      const { headers, json } = await get(url);
      expect(headers["content-type"]).toMatch(/^application\/json/);
      expect(JSON.stringify(json())).toContain("alert(1)");
    }
  });
});

describe("a path to view", () => {
  it("may be a folder: shows the newest transcript and names the others", async () => {
    const run = await recordRun();
    await using source = await openPath(run.folder);
    expect((await source.overview()).name).toBe("batch.safetensors.jsonl");
    rmSync(run.transcript);
    await using tensors = await openPath(run.folder);
    const { name, notices } = await tensors.overview();
    expect(name).toBe("batch.safetensors");
    expect(notices[0]).toMatch(/without a transcript/);
  });

  it("may be a tensor file: shows the transcript beside it that names it, with messages and tokens", async () => {
    const run = await recordRun();
    const batch = join(run.folder, "batch.safetensors");
    await using source = await openPath(batch);
    expect((await source.overview()).name).toBe("batch.safetensors.jsonl");
    expect(JSON.stringify(await source.episode(0))).toContain("Question 0 of s-0");
    expect((await source.tokens({ episode: 0, interaction: 0, from: 0, count: 10 })).ids).toHaveLength(6);
    const other = join(run.folder, "other.safetensors");
    copyFileSync(batch, other);
    copyFileSync(run.transcript, `${other}.jsonl`);
    await using unnamed = await openPath(other);
    expect((await unnamed.overview()).name).toBe("other.safetensors");
  });

  it("may be one of several batches, whose names have numbers", async () => {
    const run = await recordRun();
    const numbered = join(run.folder, "batch-00001.safetensors");
    renameSync(join(run.folder, "batch.safetensors"), numbered);
    const lines = readFileSync(run.transcript, "utf8").replaceAll('"batch.safetensors"', '"batch-00001.safetensors"');
    writeFileSync(run.transcript, lines);
    rmSync(`${run.transcript}.index`);
    await using source = await openPath(numbered);
    expect((await source.overview()).name).toBe("batch.safetensors.jsonl");
  });

  it("may be a folder with newer files of tasks, which are ignored", async () => {
    const run = await recordRun();
    writeFileSync(join(run.folder, "tasks.jsonl"), '{"question":"1+1?"}\n');
    utimesSync(join(run.folder, "tasks.jsonl"), 4e9, 4e9);
    await using source = await openPath(run.folder);
    const { name, notices } = await source.overview();
    expect(name).toBe("batch.safetensors.jsonl");
    expect(notices.join()).not.toContain("tasks.jsonl");
    rmSync(run.transcript);
    await using tensors = await openPath(run.folder);
    expect((await tensors.overview()).name).toBe("batch.safetensors");
  });

  it("is refused if there is nothing to show", async () => {
    const folder = testFolder();
    await expect(openPath(folder)).rejects.toMatchObject({ code: "nothing_to_view" });
    await expect(openPath(join(folder, "missing"))).rejects.toMatchObject({ code: "nothing_to_view" });
    await expect(openPath("/dev/zero")).rejects.toMatchObject({ code: "nothing_to_view" });
    writeFileSync(join(folder, "notes.jsonl"), "hello\n");
    await expect(openPath(folder)).rejects.toMatchObject({ code: "not_a_transcript" });
  });
});

describe("the metrics of a job", () => {
  const metricsOf = async (source: OpenSource) => {
    onTestFinished(() => source[Symbol.asyncDispose]());
    return [...(await source.overview()).metrics];
  };
  const text = (...steps: number[]) =>
    steps
      .map((step) => `${JSON.stringify({ step, version: step, time: 1000, "reward/mean": step, loss: 0.5 })}\n`)
      .join("");
  const ZERO = { step: 0, version: 0, time: 1000, "reward/mean": 0, loss: 0.5 };

  it("are found beside a transcript, a batch and in a folder, without torn lines and steps that ran again", async () => {
    const { folder, transcript } = await recordRun();
    const batch = join(folder, "batch.safetensors");
    writeFileSync(`${batch}.metrics.jsonl`, `${text(0, 1)}${text(1)}{"step": 2, "ver`);
    for (const path of [transcript, batch, folder]) {
      const metrics = await metricsOf(await openPath(path));
      expect(metrics.map(({ step }) => step)).toEqual([0, 1]);
      expect(metrics[0]).toEqual(ZERO);
    }
  });

  it("are found beside a numbered batch", async () => {
    const { folder } = await recordRun();
    const numbered = join(folder, "batch-00003.safetensors");
    renameSync(join(folder, "batch.safetensors"), numbered);
    writeFileSync(join(folder, "batch.safetensors.metrics.jsonl"), text(0));
    expect(await metricsOf(await openPath(numbered))).toEqual([ZERO]);
  });

  it("are none without a file, or if it is something else", async () => {
    const { folder, transcript } = await recordRun();
    expect(await metricsOf(await openPath(transcript))).toEqual([]);
    mkdirSync(join(folder, "batch.safetensors.metrics.jsonl"));
    expect(await metricsOf(await openPath(transcript))).toEqual([]);
  });

  it("are a change when a line is added, which repeats no episode", async () => {
    const { folder, transcript } = await recordRun();
    const source = await TranscriptSource.open(transcript);
    onTestFinished(() => source[Symbol.asyncDispose]());
    const { revision } = await source.overview();
    writeFileSync(join(folder, "batch.safetensors.metrics.jsonl"), text(0));
    const changed = await source.changes(revision, new AbortController().signal);
    expect(changed).toMatchObject({ revision: revision + 1, reset: false, metrics: [ZERO], episodes: { index: [] } });
  });
});
