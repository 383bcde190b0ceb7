import { describe, expect, it } from "vitest";
import { describeChannel, ENGINE_CHANNELS, expertIndexBytes, withoutChannelsSchema } from "../../src/facts/channels.js";

describe("the meaning of a channel", () => {
  it("is known for each channel that engines give", () => {
    for (const name of ENGINE_CHANNELS) expect(describeChannel(name, [2]).title).not.toBe(name);
    const values = ENGINE_CHANNELS.map((name) => [name, describeChannel(name, [2]).values]);
    expect(Object.fromEntries(values)).toEqual({
      routed_experts: "experts",
      kept_ids: "token_ids",
      top_logprobs: "logprobs",
      token_ids_logprobs: "logprobs",
    });
  });

  it.each([
    ...ENGINE_CHANNELS.map((name) => [name, [2]] as const),
    ["top_ids", [2]],
    ["teacher_big_logprobs", []],
    ["teacher_big_top_logprobs", [2]],
    ["advantages", []],
  ] as const)("of %s, %j says in a sentence why a token can lack it", (name, shape) => {
    const { title, meaning, absence } = describeChannel(name, shape);
    expect(title).not.toBe("");
    for (const sentence of [meaning, absence]) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });

  it("says which channel has the tokens of log probabilities, and that these are token ids", () => {
    expect(describeChannel("top_logprobs", [4])).toMatchObject({ values: "logprobs", ids: "top_ids" });
    expect(describeChannel("top_ids", [4]).values).toBe("token_ids");
    expect(describeChannel("teacher_big_top_logprobs", [4]).ids).toBe("teacher_big_top_ids");
    expect(describeChannel("teacher_big_top_logprobs", [4]).values).toBe("logprobs");
    expect(describeChannel("teacher_big_top_ids", [4])).toMatchObject({
      values: "token_ids",
      meaning: "The tokens whose log probabilities are in teacher_big_top_logprobs.",
    });
    // The metadata names its tokens.
    expect(describeChannel("token_ids_logprobs", [2]).ids).toBeUndefined();
  });

  it("is a teacher's score if it is one number, whatever the teacher is called", () => {
    expect(describeChannel("teacher_big_logprobs", [])).toMatchObject({ title: "Teacher big", values: "logprobs" });
    expect(describeChannel("teacher_big_logprobs", []).ids).toBeUndefined();
    expect(describeChannel("teacher_big_logprobs", [4]).values).toBe("numbers");
    expect(describeChannel("teacher_my_top_logprobs", []).title).toBe("Teacher my_top");
    expect(describeChannel("teacher_my_top_logprobs", [4]).title).toBe("Alternatives of teacher my");
  });

  it("is numbers for channels of a trainer, also if their name ends like one with tokens", () => {
    for (const name of ["advantages", "document_ids", "toString", "value_logprobs"]) {
      expect(describeChannel(name, [])).toMatchObject({ values: "numbers", title: name });
    }
  });
});

describe("the channels that a session leaves out", () => {
  it.each([
    [[...ENGINE_CHANNELS, "teacher_big"], true],
    [[], true],
    [["top_ids"], false],
    [["teacher_"], false],
    [["teacher_Big"], false],
    [[1], false],
    [Array(64).fill("kept_ids"), true],
    [Array(65).fill("kept_ids"), false],
  ])("may be %j: %s", (names, accepted) => {
    expect(withoutChannelsSchema.safeParse(names).success).toBe(accepted);
  });

  it("are named by an error, and by the description", () => {
    const names = "`routed_experts`, `kept_ids`, `top_logprobs`, `token_ids_logprobs`";
    const { error } = withoutChannelsSchema.safeParse(["top_ids"]);
    expect(error?.issues[0]?.message).toBe(`must be one of ${names}, or \`teacher_NAME\` of a teacher`);
    expect(withoutChannelsSchema.description).toContain(names);
  });
});

it.each([
  [1, 1],
  [256, 1],
  [257, 2],
])("stores the index of one of %i experts in %i bytes", (experts, bytes) => {
  expect(expertIndexBytes(experts)).toBe(bytes);
});
