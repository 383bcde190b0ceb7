import { describe, expect, it, vi } from "vitest";
import { PromptText } from "../../../../src/engine/prompt-text.js";
import type { ServerRequest } from "../../../../src/engine/servers/engine-server.js";
import { PauseHold } from "../../../../src/engine/servers/pause/pause-hold.js";
import { ReplyVersions } from "../../../../src/engine/servers/versions/reply-versions.js";
import { ServerVersions } from "../../../../src/engine/servers/versions/server-versions.js";
import { writeBody } from "../../../../src/engine/servers/wire/generate-once.js";
import { GenerationSink } from "../../../../src/engine/servers/wire/reply-sink.js";
import { VersionLabels } from "../../../../src/engine/version-labels.js";
import { makeCall } from "../../generate-call.js";

describe("the body of a request", () => {
  const write = (ids: readonly number[], text?: PromptText, shared = 0, output: readonly number[] = []) => {
    const call = { ...makeCall(ids), ...(text && { promptText: { text, shared } }) };
    if (output.length > 0)
      call.generation.append(
        Int32Array.from(output),
        Float32Array.from(output, () => -1),
        0,
      );
    return writeBody(call, '{"ids":', ',"x":1}');
  };

  it("has the ids of the prompt and of the output so far", async () => {
    expect((await write([1, 2])).body.toString()).toBe('{"ids":[1,2],"x":1}');
    expect((await write([1, 2], undefined, 0, [7])).body.toString()).toBe('{"ids":[1,2,7],"x":1}');
    const long = Array.from({ length: 33_000 }, (_, index) => index);
    for (const text of [undefined, new PromptText()]) {
      expect(JSON.parse((await write(long, text)).body.toString())).toEqual({ ids: long, x: 1 });
    }
  });

  it("is that of the earlier request with the new ids, and is given back when it was sent", async () => {
    const text = new PromptText();
    const first = await write([1, 2], text);
    expect([first.body.toString(), text.isReady]).toEqual(['{"ids":[1,2],"x":1}', false]);
    first.onSent?.();
    expect(text.isReady).toBe(true);
    const second = await write([1, 2, 3], text, 2);
    expect(second.body.toString()).toBe('{"ids":[1,2,3],"x":1}');
    second.onSent?.();
    expect(text.isReady).toBe(true);
  });

  it("is its own if the earlier one is lent, or if the generation was cut", async () => {
    const text = new PromptText();
    await write([1, 2], text);
    const other = await write([1, 2], text, 2);
    expect([other.body.toString(), other.onSent]).toEqual(['{"ids":[1,2],"x":1}', undefined]);
    text.giveBack();
    const resumed = await write([1, 2], text, 2, [7]);
    expect([resumed.body.toString(), resumed.onSent, text.isReady]).toEqual(['{"ids":[1,2,7],"x":1}', undefined, true]);
  });
});

describe("a reply that is not streamed", () => {
  const OTHER = { sglang: '"output_ids":[],"meta_info":{}', vllm: '"choices":[]' };

  it.each<["sglang" | "vllm", number, string]>([
    ["sglang", 1000, "appendSglangReply"],
    ["sglang", 256 * 1024, "appendSglangReplyAsync"],
    ["vllm", 1000, "appendVllmReply"],
    ["vllm", 256 * 1024, "appendVllmReplyAsync"],
  ])("of %s with %d bytes is read where it blocks nobody", async (format, bytes, method) => {
    const call = makeCall([1]);
    const request = { call, versions: new ReplyVersions(call), received: () => undefined };
    const read = vi.spyOn(call.generation, method as "appendSglangReply");
    const sink = new GenerationSink(request as unknown as ServerRequest, { format, asked: {} });
    sink.begin(200, () => "application/json");
    const text = `{${OTHER[format]},"x":"`;
    sink.piece(Buffer.from(`${text.padEnd(bytes - 2, "x")}"}`));
    await expect(sink.finish()).rejects.toThrow(/malformed|do not agree/);
    expect(read).toHaveBeenCalledOnce();
  });
});

describe("a stream", () => {
  const frame = (ids: readonly number[], version: string) =>
    Buffer.from(
      `data: ${JSON.stringify({
        output_ids: ids,
        meta_info: {
          finish_reason: null,
          completion_tokens: ids.length,
          weight_version: version,
          output_token_logprobs: ids.map((id) => [-1, id, null]),
        },
      })}\n\n`,
    );

  function open() {
    const call = makeCall([1], { maxTokens: 9 }, { onTokens: () => undefined });
    const labels = new VersionLabels();
    const versions = new ReplyVersions(call, { hold: new PauseHold(), labels, server: new ServerVersions() });
    let told = 0;
    const request: ServerRequest = {
      call,
      versions,
      signal: new AbortController().signal,
      received: () => void told++,
      ignored: () => undefined,
    };
    const sink = new GenerationSink(request, { format: "sglang", asked: {} });
    sink.begin(200, (name) => (name === "content-type" ? "text/event-stream; charset=utf-8" : ""));
    return { call, labels, sink, told: () => told };
  }

  it("that breaks off leaves valid tokens, with the versions that it named", () => {
    const { call, labels, sink, told } = open();
    sink.piece(frame([5], "step-a"));
    sink.piece(Buffer.from(": nothing new\n\n"));
    expect(told()).toBe(1);
    sink.cut();
    expect(labels.known.versions).toEqual({ "step-a": 1 });
    expect(Array.from(call.generation.versions())).toEqual([1]);
  });

  it("that never began leaves none", () => {
    const call = makeCall([1]);
    const request = { call, versions: new ReplyVersions(call) } as unknown as ServerRequest;
    expect(() => new GenerationSink(request, { format: "sglang", asked: {} }).cut()).not.toThrow();
  });
});
