import { describe, expect, it } from "vitest";
import { type Script, startScripted } from "./scripted-worker.js";
import { Gateway } from "./workers.js";

/** Calls about sessions that a gateway forwards by their ids, and transcripts that it joins. */

const TRANSCRIPTS = "/rl/transcripts";

const line = (id: string) => `${JSON.stringify({ session_id: id })}\n`;
const transcripts: Script = ({ session_ids }) => ({ body: (session_ids as string[]).map(line).join("") });

async function start(scripts: Readonly<Record<string, Readonly<Record<string, Script>>>>) {
  const workers = await Promise.all(Object.entries(scripts).map(([tag, each]) => startScripted(tag, each)));
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
  const read = async (body: object) => {
    const reply = await gateway.post(TRANSCRIPTS, body);
    const lines = reply.raw.toString().split("\n").slice(0, -1);
    return {
      reply,
      answers: lines.map((each) => JSON.parse(each) as { session_id: string; error?: { code: string } }),
    };
  };
  return { workers, gateway, read };
}

describe("a call about one session", () => {
  const paths = ["/rl/sessions/task-two-0", "/rl/sessions/task-two-0/transcript"];

  it.each([
    ["GET", paths[0]],
    ["DELETE", paths[0]],
    ["GET", paths[1]],
  ])("goes to the worker that its id names: %s %s", async (method, path = "") => {
    const { workers, gateway } = await start({ one: {}, two: { [path]: () => ({ body: { from: "two" } }) } });
    expect((await gateway.send(path, { method })).json()).toEqual({ from: "two" });
    expect(workers.map(({ calls }) => calls.map((call) => call.path))).toEqual([[], [path]]);
    expect((await gateway.send(path.replace("two", "three"), { method })).refusal).toBe("503 worker_unavailable");
    expect((await gateway.send(path.replace("-two-0", ""), { method })).refusal).toBe("404 session_not_found");
  });
});

describe("POST /rl/transcripts of a gateway", () => {
  it("joins the lines of all workers, with an error for a session that no worker can have", async () => {
    const { workers, read } = await start({ one: { [TRANSCRIPTS]: transcripts }, two: { [TRANSCRIPTS]: transcripts } });
    const session_ids = ["a-one-0", "a-two-0", "nobody", "a-one-1", "a-three-0"];
    const { reply, answers } = await read({ session_ids, discount: 0.5 });
    expect(reply.headers["content-type"]).toBe("application/x-ndjson");
    expect(answers.map(({ session_id, error }) => [session_id, error?.code])).toEqual([
      ["a-one-0", undefined],
      ["a-one-1", undefined],
      ["a-two-0", undefined],
      ["nobody", "session_not_found"],
      ["a-three-0", "worker_unavailable"],
    ]);
    expect(workers.map(({ calls }) => calls)).toEqual([
      [{ path: TRANSCRIPTS, body: { session_ids: ["a-one-0", "a-one-1"], discount: 0.5 } }],
      [{ path: TRANSCRIPTS, body: { session_ids: ["a-two-0"], discount: 0.5 } }],
    ]);
  });

  it("has the error of a worker that refuses or breaks off for each of its sessions", async () => {
    const error = { message: "No.", type: "invalid_request_error", code: "wrong_key_kind", param: null };
    const { read } = await start({
      one: { [TRANSCRIPTS]: () => ({ status: 403, body: { error } }) },
      two: { [TRANSCRIPTS]: () => "broken" },
      three: { [TRANSCRIPTS]: transcripts },
    });
    const { answers } = await read({ session_ids: ["a-one-0", "a-one-1", "a-two-0", "a-three-0"] });
    expect(answers.map((answer) => [answer.session_id, answer.error?.code])).toEqual([
      ["a-one-0", "wrong_key_kind"],
      ["a-one-1", "wrong_key_kind"],
      ["a-two-0", "worker_unavailable"],
      ["a-three-0", undefined],
    ]);
  });
});
