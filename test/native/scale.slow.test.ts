import { describe, expect, it } from "vitest";
import { native } from "../../src/native/addon.js";
import type { NativePrompt, NativeSession } from "../../src/native/contract.js";
import { expectCode, generation, ids, planOptions, tensor } from "./support.js";

const DIGEST_BYTES = 16;

/** Returns the messages of a conversation: question 0, answer 0, question 1, …. */
function alternating(turns: number): string[] {
  return Array.from({ length: turns }, (_, turn) => [`question ${turn}`, `answer ${turn}`]).flat();
}

/**
 * Records a linear conversation turn by turn. Each turn has two new prompt tokens and one sampled token, and refers to the
 * parent that is found by its messages. Returns how often that parent was not the previous turn, or not token-exact.
 */
function recordConversation(session: NativeSession, messages: readonly string[]): number {
  const digests = native.digestMessages(messages);
  let wrong = 0;
  for (let turn = 0; turn < messages.length / 2; turn++) {
    const known = digests.subarray(0, DIGEST_BYTES * (2 * turn + 1));
    const match = session.findParent(known);
    const recorded = session.record({
      prompt: session.prompt([ids(turn % 1000, 7)], match?.index),
      generation: generation([turn % 500], turn >> 10),
      digests: known,
      output: [`answer ${turn}`],
    });
    const exact = recorded.tokenExact && recorded.sharedTokens === 3 * turn;
    if (recorded.parent !== turn - 1 || (turn > 0 && !exact)) wrong += 1;
  }
  return wrong;
}

function promptAfter(session: NativeSession, base: number): NativePrompt {
  return session.prompt([ids(1)], base);
}

describe("a session of 100,000 interactions", { timeout: 120_000 }, () => {
  const TURNS = 100_000;

  it("is recorded, discounted and exported as one conversation", async () => {
    const session = new native.Session();
    expect(recordConversation(session, alternating(TURNS))).toBe(0);
    expect(session.length).toBe(TURNS);

    session.setReward(TURNS - 1, 1);
    const rewards = session.discountedRewards(0.5);
    expect([...rewards.subarray(-3)]).toEqual([0.25, 0.5, 1]);
    expect(rewards[0]).toBe(0);
    expect(session.discountedRewards(1).every((reward) => reward === 1)).toBe(true);

    const plan = native.planBatch([session], { ...planOptions, style: "concat" });
    expect(plan.rows).toMatchObject({
      length: 1,
      interactions: Uint32Array.of(TURNS - 1),
      lengths: Uint32Array.of(3 * TURNS),
      rewards: Float64Array.of(1),
    });
    const batch = await plan.pack({});
    const packed = tensor(batch, "input_ids");
    expect(packed.every((id, at) => id === [Math.floor(at / 3) % 1000, 7, Math.floor(at / 3) % 500][at % 3])).toBe(
      true,
    );
    expect(tensor(batch, "loss_mask").every((mask, at) => mask === (at % 3 === 2 ? 1 : 0))).toBe(true);

    const body = promptAfter(session, TURNS - 1).requestBody("", "");
    expect((JSON.parse(body.toString()) as number[]).length).toBe(3 * TURNS + 1);
    // Bytes per turn: three tokens, one log probability, and the memory to find parents and to walk the tree.
    expect(session.byteLength / TURNS).toBeLessThan(400);
  });

  it("has too many individual rows for one block", async () => {
    const session = new native.Session();
    recordConversation(session, alternating(TURNS));
    const plan = native.planBatch([session], planOptions);
    expect(plan.rows).toHaveLength(TURNS);
    expect(plan.rows.lengths[99_999]).toBe(3 * TURNS);
    await expect(plan.pack({})).rejects.toMatchObject({ code: "ERR_TOO_LARGE" });
  });

  it("can be branches of one turn", async () => {
    const session = new native.Session();
    const root = ["system", "question"];
    const record = (messages: string[], answer: string, prompt: NativePrompt) =>
      session.record({
        prompt,
        generation: generation([5]),
        digests: native.digestMessages(messages),
        output: [answer],
      });
    record(root, "answer", session.prompt([ids(1, 2)]));
    let wrong = 0;
    for (let branch = 1; branch < TURNS; branch++) {
      const recorded = record([...root, "answer", `branch ${branch}`], "a", promptAfter(session, 0));
      if (recorded.parent !== 0 || !recorded.tokenExact) wrong += 1;
    }
    expect(wrong).toBe(0);
    expect(session.interaction(0).children).toBe(TURNS - 1);
    expect(session.findParent(native.digestMessages([...root, "answer", "branch 77", "a", "more"]))?.index).toBe(77);

    const plan = native.planBatch([session], { ...planOptions, style: "concat" });
    expect(plan.rows).toHaveLength(TURNS - 1);
    expect((await plan.pack({})).bytes.byteLength).toBeGreaterThan((TURNS - 1) * 5 * 17);
  });

  it("can be answers to the same messages, of which the newest becomes the parent", () => {
    const session = new native.Session();
    const first = native.digestMessages(["question"]);
    const next = native.digestMessages(["question", "answer", "more"]);
    let wrong = 0;
    for (let index = 0; index < TURNS; index++) {
      session.record({
        prompt: session.prompt([ids(1)]),
        generation: generation([5]),
        digests: first,
        output: ["answer"],
      });
      if (session.findParent(next)?.index !== index) wrong += 1;
    }
    expect(wrong).toBe(0);
    expect(session.length).toBe(TURNS);
    expect(session.findParent(next)).toEqual({ index: TURNS - 1, rule: "continuation" });
  });
});

describe("10,000 sessions", { timeout: 120_000 }, () => {
  it("are recorded side by side and exported as one batch", async () => {
    const sessions = Array.from({ length: 10_000 }, () => new native.Session());
    // Records one turn of every session, then the next turn of every session, like a server.
    for (let turn = 0; turn < 3; turn++) {
      const digests = native.digestMessages(alternating(3)).subarray(0, DIGEST_BYTES * (2 * turn + 1));
      for (const [number, session] of sessions.entries()) {
        session.record({
          prompt: session.prompt([ids(number, turn)], turn === 0 ? undefined : turn - 1),
          generation: generation([number % 100], turn),
          digests,
          output: [`answer ${turn}`],
        });
      }
    }
    for (const [number, session] of sessions.entries()) session.setReward(2, number);
    const plan = native.planBatch(sessions, { ...planOptions, style: "concat" });
    expect(plan.shape).toEqual([10_000, 9]);
    const batch = await plan.pack({});
    const packed = tensor(batch, "input_ids");
    const expected = sessions.flatMap((_, number) => [0, 1, 2].flatMap((turn) => [number, turn, number % 100]));
    expect(packed).toEqual(expected);
    expect(tensor(batch, "rewards")).toEqual(sessions.map((_, number) => number));
    for (const session of sessions) session.release();
    expectCode("ERR_RELEASED", () => native.planBatch(sessions, planOptions));
  });
});
