import { describe, expect, it } from "vitest";
import { describeDemo } from "../../src/cli/demo/demo-report.js";
import { haikuAgent } from "../../src/cli/demo/haiku-agent.js";
import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { turn, user } from "../helpers/turn.js";

describe("the report of the demo", () => {
  it("describes the batch as a trainer reads it", async () => {
    using store = new TrajectoryStore();
    for (const [name, reward] of [
      ["rain", 1],
      ["a frog", 0.25],
    ] as const) {
      const session = store.createSession({ sessionId: name });
      session.record(turn([user("one")], [1, 2], [3]));
      session.setReward(reward);
      session.end();
    }
    using batch = await store.exportBatch(["rain", "a frog"], { discount: 0.9 });
    const result = { file: "demo.safetensors", rewards: [1, 0.25], discount: 0.9, seconds: 1.25 };
    const lines = describeDemo({ ...result, batch: Uint8Array.from(batch.bytes) }).split("\n");
    expect(lines.slice(0, 9)).toEqual([
      "",
      "episodes  2",
      "turns     2",
      "tokens    6 exported, 2 of them sampled",
      "",
      "episode  turns  reward  after discount 0.9, first turn to last",
      "rain     1      1.000   1.000",
      "a frog   1      0.250   0.250",
      "",
    ]);
    expect(lines[9]).toMatch(/^tensor +dtype +shape$/);
    expect(lines).toContainEqual(expect.stringMatching(/^input_ids +I32 +\[2, \d+\]$/));
    expect(lines.slice(-2)).toEqual(["", `wrote demo.safetensors, ${batch.byteLength} bytes, in 1.3 s`]);
  });
});

describe("the agent of the demo", () => {
  interface Asked {
    readonly url: string;
    readonly init: { readonly method: string; readonly headers: Record<string, string>; readonly body: string };
  }

  async function run(answers: readonly (string | null)[], status = 200) {
    const asked: Asked[] = [];
    const http_client = async (url: string, init: Asked["init"]) => {
      const content = answers[asked.push({ url, init }) - 1];
      return new Response(JSON.stringify({ choices: content === undefined ? [] : [{ message: { content } }] }), {
        status,
      });
    };
    const context = { base_url: "http://a", api_key: "key", http_client } as never;
    return { reward: await haikuAgent.run("rain", context), asked };
  }

  it("asks for a poem and three revisions, each with what was said before", async () => {
    const { reward, asked } = await run(["12345678", "b", "c", "12"]);
    expect(reward).toBe(0.75);
    expect(asked.map(({ url }) => url)).toEqual(Array(4).fill("http://a/v1/chat/completions"));
    const { method, headers } = asked[0]?.init ?? {};
    expect([method, headers]).toEqual(["POST", { authorization: "Bearer key", "content-type": "application/json" }]);
    const bodies = asked.map(({ init }) => JSON.parse(init.body) as { messages: { role: string; content: string }[] });
    expect(bodies[0]).toEqual({
      model: "tiny",
      max_tokens: 24,
      messages: [
        { role: "system", content: "You write haiku. Answer with the poem only." },
        { role: "user", content: "Write a haiku about rain." },
      ],
    });
    expect(bodies[3]?.messages.slice(2).map(({ role, content }) => `${role}: ${content}`)).toEqual([
      "assistant: 12345678",
      "user: Say it with fewer words.",
      "assistant: b",
      "user: Say it with fewer words.",
      "assistant: c",
      "user: Say it with fewer words.",
    ]);
  });

  it.each([
    [["1234", "", "", "12345678"], 0],
    [["1234", "", "", ""], 1],
    [[null, "", "", ""], 0],
    [[], 0],
  ])("is rewarded for a shorter last draft: %j", async (answers, reward) => {
    expect((await run(answers)).reward).toBe(reward);
  });

  it("fails with the answer of a model that refuses", async () => {
    await expect(run(["no"], 500)).rejects.toThrow("The model's answer is 500: {");
  });
});
