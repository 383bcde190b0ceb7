import { describe, expect, it } from "vitest";
import type { Message, Tool } from "../../src/conversation/message.js";
import { native } from "../../src/native/addon.js";
import { Session } from "../../src/session/session.js";
import { describeSession, summarizeSession } from "../../src/session/session-transcript.js";
import type { Answer } from "../../src/session/turn/turn.js";
import { runAtOnce } from "../../src/support/async/steps.js";
import { recordTurn } from "../helpers/record-turn.js";

const asks = (content: string): Message => ({ role: "user", content });
const says = (content: string): Message => ({ role: "assistant", content });
const tool = (name: string): Tool => ({ type: "function", function: { name } });

/** Records a call whose prompt has one token more than it has messages. */
function record(session: Session, messages: readonly Message[], answer: Partial<Answer>, tools: readonly Tool[] = []) {
  const generation = new native.Generation();
  generation.append(Int32Array.of(7, 8), Float32Array.of(-1, -1), Int32Array.of(3, 4));
  const prompt = { pieces: [Int32Array.from({ length: messages.length + 1 }, (_, i) => i)] };
  return recordTurn(session, { messages, tools }, { output: [says("ok")], generation, ...answer }, prompt);
}

const describeAt = (session: Session, discount = 1) => runAtOnce(describeSession(session, discount));

describe("the transcript of a session", () => {
  it("has what was recorded, without what is absent", () => {
    const session = new Session({ id: "s", taskId: "task" });
    const { createdAt } = record(session, [asks("a")], { id: "first" });
    expect(describeAt(session)).toEqual({
      session_id: "s",
      task_id: "task",
      state: "active",
      started_at: session.createdAt / 1000,
      summary: runAtOnce(summarizeSession(session)),
      interactions: [
        {
          id: "first",
          parent: -1,
          kept: 0,
          messages: [asks("a")],
          answer: says("ok"),
          finish_reason: "stop",
          api: "chat.completions",
          created_at: createdAt / 1000,
          prompt_tokens: 2,
          completion_tokens: 2,
          shared_tokens: 0,
          versions: [3, 4],
          token_exact: false,
          reward: 0,
        },
      ],
    });
    expect(runAtOnce(summarizeSession(session))).toEqual({
      reward: null,
      calls: 1,
      turns: 1,
      prompt_tokens: 2,
      completion_tokens: 2,
      finish_reasons: { stop: 1 },
      broken: 0,
      left_out: 0,
      branches: 0,
      versions: [3, 4],
    });
  });

  it("has the group, the rewards and the duration of a session that was rewarded and ended", () => {
    const session = new Session({ id: "s", taskId: "task", groupId: "g" });
    record(session, [asks("a")], { id: "first" });
    record(session, [asks("a"), says("ok"), asks("b")], { id: "second", startedAt: 1000 });
    session.setReward(0, "first");
    session.setReward(2, "second");
    session.setSessionReward(1);
    session.end();
    const { endedAt = 0 } = session.lifecycle;
    const transcript = describeAt(session, 0.5);
    expect(transcript).toMatchObject({
      group_id: "g",
      state: "ended",
      session_reward: 1,
      duration: (endedAt - session.createdAt) / 1000,
    });
    const [first, second] = transcript.interactions;
    expect([first?.own_reward, first?.reward, second?.own_reward, second?.reward]).toEqual([0, 1.5, 2, 3]);
    const latency = (session.interaction(1).createdAt - 1000) / 1000;
    expect([first?.latency, second?.latency]).toEqual([undefined, latency]);
    expect(runAtOnce(summarizeSession(session))).toMatchObject({ reward: 3, calls: 2, turns: 2 });
  });

  it("has each call as the difference to its parent, and why its tokens do not continue the parent's", () => {
    const session = new Session({ id: "s", taskId: "task" });
    record(session, [asks("a")], { id: "first" });
    record(session, [asks("a"), says("ok"), asks("b")], {});
    record(session, [{ ...asks("a"), name: "n" }, says("ok"), asks("c")], {});
    record(session, [asks("other")], {});
    const [, second, third, other] = describeAt(session).interactions;
    expect(second).toMatchObject({ parent: 0, kept: 2, messages: [asks("b")], shared_tokens: 2, token_exact: false });
    expect(second).toMatchObject({ cause: "rerendered" });
    expect(second).not.toHaveProperty("respelled");
    expect(third).toMatchObject({ parent: 0, kept: 2, respelled: [[0, { ...asks("a"), name: "n" }]] });
    expect(other).toMatchObject({ parent: -1, kept: 0 });
    expect(other).not.toHaveProperty("cause");
  });

  it("has tools where they change: as a list once, then as its place", () => {
    const session = new Session({ id: "s", taskId: "task" });
    const [one, two] = [[tool("one")], [tool("two")]];
    let messages: readonly Message[] = [asks("a")];
    for (const tools of [one, one, two, one, []]) {
      record(session, messages, {}, tools);
      messages = [...messages, says("ok"), asks("more")];
    }
    const listed = describeAt(session).interactions.map(({ tools, tools_of }) => [tools, tools_of]);
    expect(listed).toEqual([
      [JSON.stringify(one), undefined],
      [undefined, undefined],
      [JSON.stringify(two), undefined],
      [undefined, 0],
      ["[]", undefined],
    ]);
  });

  it("has who made a call, its choices and its attempts, and why it is left out", () => {
    const session = new Session({ id: "s", taskId: "task" });
    const hints = { requestKind: "compact", agentId: "agent", parentAgentId: "parent" };
    const origin = { requestedModel: "m", tag: "plan", choice: 1, choices: 2, attempt: 3, hints };
    record(session, [asks("a")], origin);
    record(session, [asks("b")], { choices: 2 });
    record(session, [asks("c")], { choices: 1, choice: 0, attempt: 0 });
    session.delivery.closedEarly(0);
    const [first, second, third] = describeAt(session).interactions;
    expect(first).toMatchObject({
      requested_model: "m",
      request_kind: "compact",
      tag: "plan",
      agent_id: "agent",
      parent_agent_id: "parent",
      choice: 1,
      attempt: 3,
      left_out: "undelivered",
    });
    expect(second).toMatchObject({ choice: 0 });
    for (const field of ["attempt", "left_out", "tag", "request_kind", "requested_model"]) {
      expect(second).not.toHaveProperty(field);
    }
    expect(third).not.toHaveProperty("choice");
    expect(runAtOnce(summarizeSession(session))).toMatchObject({ left_out: 1, calls: 3, turns: 1 });
  });

  it("is refused once the tokens were freed, also while it is made", () => {
    const session = new Session({ id: "s", taskId: "task" });
    for (let index = 0; index < 150; index++) record(session, [asks(`${index}`)], {});
    const steps = summarizeSession(session);
    expect(steps.next().done).toBe(false);
    session.free("exported");
    const refusal = expect.objectContaining({ code: "session_exported" }) as Error;
    expect(() => steps.next()).toThrow(refusal);
    expect(() => runAtOnce(summarizeSession(session))).toThrow(refusal);
    expect(() => describeAt(session)).toThrow(refusal);
  });

  it("is refused if a discounted reward does not fit a float32", () => {
    const session = new Session({ id: "s", taskId: "task" });
    record(session, [asks("a")], { id: "first" });
    session.setReward(3e38, "first");
    session.setSessionReward(3e38);
    expect(() => describeAt(session)).toThrow(expect.objectContaining({ code: "reward_overflow" }) as Error);
  });
});
