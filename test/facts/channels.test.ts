import { describe, expect, it } from "vitest";
import { describeChannel, ENGINE_CHANNELS } from "../../src/facts/channels.js";

describe("the meaning of a channel", () => {
  it("is known for each channel that engines give", () => {
    for (const name of ENGINE_CHANNELS) expect(describeChannel(name, [2]).title).not.toBe(name);
    expect(describeChannel("routed_experts", [48, 8]).values).toBe("experts");
  });

  it("says which channel has the tokens of log probabilities, and that these are token ids", () => {
    expect(describeChannel("top_logprobs", [4])).toMatchObject({ values: "logprobs", ids: "top_ids" });
    expect(describeChannel("top_ids", [4]).values).toBe("token_ids");
    expect(describeChannel("teacher_big_top_logprobs", [4]).ids).toBe("teacher_big_top_ids");
    expect(describeChannel("teacher_big_top_ids", [4]).values).toBe("token_ids");
    // The metadata names its tokens.
    expect(describeChannel("token_ids_logprobs", [2]).ids).toBeUndefined();
  });

  it("is a teacher's score if it is one number, whatever the teacher is called", () => {
    expect(describeChannel("teacher_big_logprobs", []).title).toBe("Teacher big");
    expect(describeChannel("teacher_my_top_logprobs", []).title).toBe("Teacher my_top");
    expect(describeChannel("teacher_my_top_logprobs", [4]).title).toBe("Alternatives of teacher my");
  });

  it("is numbers for channels of a trainer, also if their name ends like one with tokens", () => {
    for (const name of ["advantages", "document_ids", "toString", "value_logprobs"]) {
      expect(describeChannel(name, [])).toMatchObject({ values: "numbers", title: name });
    }
  });
});
