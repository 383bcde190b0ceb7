import { describe, expect, onTestFinished, test } from "vitest";
import { Teacher, TeacherDownError, type TeacherOptions } from "../../../src/engine/teachers/teacher.js";
import { native } from "../../../src/native/addon.js";
import { type RecordingServer, startRecordingServer } from "../../helpers/recording-server.js";
import {
  scoreOf,
  startTeacherServer,
  type TeacherKind,
  type TeacherServer,
  topOf,
} from "../../helpers/teacher-server.js";
import { until } from "../../helpers/until.js";

const IDS = [5, 6, 7, 8, 9, 10];

async function startTeacher(kind: TeacherKind = "sglang", port?: number): Promise<TeacherServer> {
  const server = await startTeacherServer(kind, port);
  onTestFinished(() => server.close());
  return server;
}

interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a server that gives these answers in turn, the last one again and again. */
async function startScripted(...answers: readonly Answer[]): Promise<RecordingServer> {
  let next = 0;
  const server = await startRecordingServer({}, async (_, response) => {
    const { status, body = "", headers } = answers[Math.min(next++, answers.length - 1)] ?? { status: 200 };
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  });
  onTestFinished(() => server.close());
  return server;
}

function makeTeacher(urls: readonly string[], options: Partial<TeacherOptions> = {}): Teacher {
  const teacher = new Teacher({
    name: "big",
    type: "sglang",
    urls,
    topLogprobs: 0,
    maxInflight: 4,
    timeoutSeconds: 20,
    ...options,
  });
  onTestFinished(() => teacher.close());
  return teacher;
}

function score(
  teacher: Teacher,
  { ids = IDS, first = 1, waits = true, signal = undefined as AbortSignal | undefined } = {},
) {
  const prompt = new native.Session().prompt([Int32Array.from(ids)]);
  return teacher.score({ prompt, first, affinityKey: "session" }, teacher.begin(waits), signal);
}

const expected = (first = 1) => IDS.map((_, t) => scoreOf(IDS, t)).slice(first);
const kinds: readonly TeacherKind[] = ["sglang", "vllm-v2", "vllm-v1", "vllm-completions"];
const typeOf = (kind: TeacherKind) => (kind === "sglang" ? "sglang" : "vllm");
const generations = ({ requests }: RecordingServer) => requests.filter(({ path }) => path !== "/v1/models");

describe("the scores of a sequence", () => {
  test.each(kinds)("begin with the first token that was asked for (%s)", async (kind) => {
    const server = await startTeacher(kind);
    const teacher = makeTeacher([server.url], { type: typeOf(kind) });
    for (const first of [1, 4]) {
      const { logprobs, topIds, topLogprobs } = await score(teacher, { first });
      expect(Array.from(logprobs)).toEqual(expected(first));
      expect([topIds.length, topLogprobs.length]).toEqual([0, 0]);
    }
  });

  test.each(kinds)("come with the most probable tokens (%s)", async (kind) => {
    const server = await startTeacher(kind);
    const teacher = makeTeacher([server.url], { type: typeOf(kind), topLogprobs: 2 });
    const { logprobs, topIds, topLogprobs } = await score(teacher, { first: 3 });
    const top = [3, 4, 5].flatMap((t) => topOf(IDS, t, 2));
    expect(Array.from(logprobs)).toEqual(expected(3));
    expect(Array.from(topIds)).toEqual(top.map(({ id }) => id));
    expect(Array.from(topLogprobs)).toEqual(top.map(({ logprob }) => logprob));
    expect(teacher.topLogprobs).toBe(2);
  });

  test("are asked of SGLang without a sampled token", async () => {
    const server = await startTeacher("sglang");
    await score(makeTeacher([server.url], { topLogprobs: 2, apiKey: "sk-teacher" }), { first: 3 });
    expect(server.requests.map(({ json }) => json)).toEqual([
      {
        input_ids: IDS,
        sampling_params: { max_new_tokens: 0, temperature: 1 },
        return_logprob: true,
        logprob_start_len: 2,
        top_logprobs_num: 2,
        return_text_in_logprobs: false,
        stream: false,
        rid: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
      },
    ]);
    const { authorization, "x-smg-routing-key": key } = server.requests[0]?.headers ?? {};
    expect([authorization, key]).toEqual(["Bearer sk-teacher", "session"]);
  });

  const one = { max_tokens: 1, temperature: 1, top_k: 1, detokenize: false };
  const common = { model: "teacher", request_id: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown, stream: false };
  const ids = { prompt_logprob_start: 2, prompt_logprob_token_ids: [[8], [9], [10]] };

  test.each<[TeacherKind, number, object]>([
    ["vllm-v2", 0, { ...common, token_ids: IDS, sampling_params: { ...one, ...ids } }],
    ["vllm-v2", 2, { ...common, token_ids: IDS, sampling_params: { ...one, prompt_logprobs: 2 } }],
    ["vllm-v1", 0, { ...common, token_ids: IDS, sampling_params: { ...one, prompt_logprobs: 0 } }],
    ["vllm-completions", 2, { ...common, prompt: IDS, ...one, prompt_logprobs: 2 }],
  ])("are asked of %s in its way, with %i alternatives", async (kind, topLogprobs, body) => {
    const server = await startTeacher(kind);
    await score(makeTeacher([server.url], { type: "vllm", topLogprobs }), { first: 3 });
    expect(generations(server).at(-1)?.json).toEqual(body);
  });

  test.each<[TeacherKind, number, readonly string[]]>([
    ["vllm-v2", 0, ["ids", "ids"]],
    ["vllm-v1", 0, ["ids", "lists", "lists"]],
    ["vllm-v1", 1, ["lists", "lists"]],
    ["vllm-completions", 0, ["ids", "lists", "completions", "completions"]],
  ])("are asked of %s with %i alternatives without a way that it has refused", async (kind, topLogprobs, ways) => {
    const server = await startTeacher(kind);
    const teacher = makeTeacher([server.url], { type: "vllm", topLogprobs });
    for (const _ of ["first", "second"]) await score(teacher);
    const asked = generations(server).map(({ path, body }) => {
      if (path === "/v1/completions") return "completions";
      return body.includes("prompt_logprob_token_ids") ? "ids" : "lists";
    });
    expect(asked).toEqual(ways);
    expect(server.requests.filter(({ path }) => path === "/v1/models")).toHaveLength(1);
  });

  test("are asked in every way again when the server was restarted", async () => {
    const old = await startTeacher("vllm-completions");
    const teacher = makeTeacher([old.url], { type: "vllm" });
    await score(teacher);
    await old.close();
    await expect(score(teacher, { waits: false })).rejects.toThrow("cannot be reached");
    const updated = await startTeacher("vllm-v2", Number(new URL(old.url).port));
    await score(teacher);
    expect(generations(updated).map(({ path }) => path)).toEqual(["/inference/v1/generate"]);
    expect(updated.requests[0]?.path).toBe("/v1/models");
  });

  test("are asked of the configured model only", async () => {
    const server = await startTeacher("vllm-v2");
    const teacher = makeTeacher([server.url], { type: "vllm", model: "another", timeoutSeconds: 0.2 });
    await expect(score(teacher)).rejects.toThrow("The engine does not serve the model another.");
    expect(generations(server)).toEqual([]);
  });

  test("may be missing in a reply, which is an error", async () => {
    const answer = JSON.stringify({ choices: [{ index: 0 }], data: [{ id: "teacher" }] });
    const server = await startScripted({ status: 200, body: answer });
    const lacking = makeTeacher([server.url], { type: "vllm", timeoutSeconds: 0.2 });
    await expect(score(lacking, { waits: false })).rejects.toThrow("The reply has no scores.");
    // The model, and each way.
    expect(server.requests).toHaveLength(4);
    const sglang = await startScripted({ status: 200, body: JSON.stringify({ meta_info: {} }) });
    await expect(score(makeTeacher([sglang.url]), { waits: false })).rejects.toThrow("do not agree");
  });
});

describe("a teacher that does not answer", () => {
  test("is asked again after a pause", async () => {
    const server = await startTeacher();
    server.status = 503;
    const scored = score(makeTeacher([server.url]));
    await until(() => server.requests.length === 1);
    server.status = undefined;
    expect(Array.from((await scored).logprobs)).toEqual(expected());
    expect(server.requests).toHaveLength(2);
  });

  test("is given up after its time limit, with the last failure", async () => {
    const server = await startTeacher();
    server.status = 503;
    const failed = score(makeTeacher([server.url], { timeoutSeconds: 0.3 }));
    await expect(failed).rejects.toBeInstanceOf(TeacherDownError);
    await expect(failed).rejects.toMatchObject({
      code: "engine_unavailable",
      message: "The teacher big does not answer. The engine answered HTTP 503: no",
    });
    expect(server.requests.length).toBeGreaterThan(1);
  });

  test("is asked more rarely the longer it fails", async () => {
    const server = await startTeacher();
    server.status = 503;
    await expect(score(makeTeacher([server.url], { timeoutSeconds: 1.3 }))).rejects.toBeInstanceOf(TeacherDownError);
    // At 0, 0.2 and 0.6 seconds. Without longer pauses, every 0.2 seconds.
    expect(server.requests.length).toBeLessThan(5);
  });

  test("is asked once on each server if the round does not wait", async () => {
    const servers = [await startTeacher(), await startTeacher()];
    for (const server of servers) server.status = 503;
    const failed = score(makeTeacher(servers.map(({ url }) => url)), { waits: false });
    await expect(failed).rejects.toBeInstanceOf(TeacherDownError);
    expect(servers.map(({ requests }) => requests.length)).toEqual([1, 1]);
  });

  test("is not waited for longer than its limit if it holds a request", async () => {
    const server = await startTeacher();
    server.hold = new Promise(() => undefined);
    const failed = score(makeTeacher([server.url], { timeoutSeconds: 0.1 }), { waits: false });
    await expect(failed).rejects.toThrow("The teacher big does not answer.");
    await expect(failed).rejects.toBeInstanceOf(TeacherDownError);
  });

  test("is not waited for when the caller has left", async () => {
    const server = await startTeacher();
    server.hold = new Promise(() => undefined);
    const caller = new AbortController();
    const failed = score(makeTeacher([server.url]), { signal: caller.signal });
    await until(() => server.requests.length === 1);
    caller.abort(new Error("left"));
    await expect(failed).rejects.toThrow("left");
    expect(server.requests).toHaveLength(1);
  });

  test("is not waited for between two requests when the caller has left", async () => {
    const server = await startScripted({ status: 503, headers: { "retry-after": "60" } });
    const caller = new AbortController();
    const failed = score(makeTeacher([server.url]), { signal: caller.signal });
    await until(() => server.requests.length === 1);
    caller.abort(new Error("left"));
    await expect(failed).rejects.toThrow("left");
  });
});

describe("a teacher with several servers", () => {
  test("asks another server if one is full, and that one until the other may be asked again", async () => {
    const full = await startScripted({ status: 503, headers: { "retry-after": "60" } });
    const other = await startTeacher();
    const teacher = makeTeacher([full.url, other.url]);
    for (const _ of ["first", "second", "third"]) await score(teacher);
    expect([full.requests.length, other.requests.length]).toEqual([1, 3]);
  });

  test("asks another server if one fails with a reason that may pass", async () => {
    const failing = await startScripted({ status: 500, body: JSON.stringify({ message: "out of memory" }) });
    const other = await startTeacher();
    expect(Array.from((await score(makeTeacher([failing.url, other.url]))).logprobs)).toEqual(expected());
    expect(failing.requests).toHaveLength(1);
  });

  test("asks the one with the fewest requests", async () => {
    const servers = [await startTeacher(), await startTeacher()];
    let answer = () => undefined as void;
    const hold = new Promise<void>((resolve) => (answer = resolve));
    for (const server of servers) server.hold = hold;
    const teacher = makeTeacher(servers.map(({ url }) => url));
    const scored = [1, 2, 3, 4].map(() => score(teacher));
    await until(() => servers.reduce((sum, { requests }) => sum + requests.length, 0) === 4);
    expect(servers.map(({ requests }) => requests.length)).toEqual([2, 2]);
    answer();
    await Promise.all(scored);
  });

  test("has as many requests at once as all of its servers may have", async () => {
    const servers = [await startTeacher(), await startTeacher()];
    let answer = () => undefined as void;
    const hold = new Promise<void>((resolve) => (answer = resolve));
    for (const server of servers) server.hold = hold;
    const teacher = makeTeacher(
      servers.map(({ url }) => url),
      { maxInflight: 1 },
    );
    expect(teacher.capacity).toBe(2);
    const scored = [1, 2, 3].map(() => score(teacher));
    await until(() => servers.every(({ requests }) => requests.length === 1));
    answer();
    await Promise.all(scored);
    expect(servers.reduce((sum, { requests }) => sum + requests.length, 0)).toBe(3);
  });
});

describe("an answer that would be the same again", () => {
  const message = (text: string) => JSON.stringify({ error: { message: text } });

  test.each<[string, Answer, string, string]>([
    ["a refused key", { status: 401 }, "The engine refused the API key (HTTP 401).", "engine_error"],
    [
      "a missing endpoint",
      { status: 404, body: message("Not Found") },
      "The engine answered HTTP 404: Not Found. Check `engine` and `urls` of the teacher.",
      "engine_error",
    ],
    ["a failure without a reason", { status: 500 }, "The engine answered HTTP 500", "engine_error"],
    [
      "a refusal",
      { status: 400, body: message("too long") },
      "The engine answered HTTP 400: too long",
      "engine_rejected_request",
    ],
    [
      "a reply that cannot be read",
      { status: 200, body: "{" },
      "The engine's reply is malformed: it is not valid JSON, or fields are missing.",
      "engine_error",
    ],
  ])("is reported with the server, and the request is not repeated: %s", async (_, answer, text, code) => {
    const server = await startScripted(answer);
    const other = await startTeacher();
    const failed = score(makeTeacher([server.url, other.url]));
    await expect(failed).rejects.toMatchObject({ code, message: `The teacher big at ${server.url}: ${text}` });
    expect([server.requests.length, other.requests.length]).toEqual([1, 0]);
  });

  test("does not count as silence: the teacher is waited for afterwards", async () => {
    const server = await startScripted({ status: 400 });
    const teacher = makeTeacher([server.url], { timeoutSeconds: 0.2 });
    for (const _ of ["first", "second"])
      await expect(score(teacher)).rejects.toMatchObject({ code: "engine_rejected_request" });
    expect(server.requests).toHaveLength(2);
  });
});

test("a reply that is longer than its scores can be ends the request", async () => {
  const server = await startScripted({ status: 200, body: " ".repeat(2 << 20) });
  const failed = score(makeTeacher([server.url], { timeoutSeconds: 0.2 }), { waits: false });
  await expect(failed).rejects.toThrow(/The reply is too long: it has more than \d+ bytes\./);
});

test("an error whose body is long is read up to its first kilobytes", async () => {
  const body = `${JSON.stringify({ message: "no" }).slice(0, -1)},"x":"${"y".repeat(1 << 20)}"}`;
  const server = await startScripted({ status: 429, body, headers: { "retry-after": "1" } });
  const failed = score(makeTeacher([server.url]), { waits: false });
  await expect(failed).rejects.toThrow("HTTP 429");
});
