import { afterEach, describe, expect, it } from "vitest";
import type { CallImage, GenerateCall } from "../../../src/engine/engine.js";
import { ServerConnections } from "../../../src/engine/servers/wire/connections.js";
import { PromptProbe } from "../../../src/engine/sglang/prompt-probe.js";
import { type RecordingServer, startRecordingServer } from "../../helpers/recording-server.js";
import { makeCall } from "../generate-call.js";

let server: RecordingServer;
let connections: ServerConnections;
afterEach(async () => {
  await connections.close();
  await server.close();
});

const image: CallImage = { sha256: "a", mediaType: "image/png", file: Uint8Array.of(1), offset: 2, length: 3 };
const TEXTS = ["!", "q", "u", "", "qu", "ab"];

/** The texts of a small vocabulary, beyond which there are none. */
function tokenBytes(id: number): Uint8Array {
  const text = TEXTS[id];
  if (text === undefined) throw new RangeError("no such token");
  return Buffer.from(text);
}

const makeImageCall = (prompt: readonly number[], bytes?: GenerateCall["tokenBytes"]): GenerateCall => ({
  ...makeCall(prompt),
  images: [image],
  ...(bytes && { tokenBytes: bytes }),
});

/** @param counts numbers of prompt tokens in the replies, one after the other */
async function start(counts: readonly number[], status = 200): Promise<PromptProbe> {
  let next = 0;
  server = await startRecordingServer({}, async (_, response) => {
    const prompt_tokens = counts[Math.min(next++, counts.length - 1)];
    response.writeHead(status).end(JSON.stringify({ meta_info: { prompt_tokens } }));
  });
  connections = new ServerConnections(server.url, 4, {});
  return new PromptProbe(connections);
}

describe("a prompt with images", () => {
  it("is preceded by one that shows whether the server tokenizes again", async () => {
    // A pair of tokens, one before the image, the image with three tokens, and one behind it.
    const probe = await start([2 + 1 + 3 + 1]);
    const call = makeImageCall([10, 11, 12, 12, 12, 13, 14], tokenBytes);
    for (const _ of ["once", "again"]) await probe.require(call, image);
    expect(server.requests.map(({ json }) => json)).toEqual([
      {
        input_ids: [1, 2, 11, 12, 13],
        image_data: ["data:image/png;base64,AQ=="],
        sampling_params: { max_new_tokens: 1 },
      },
    ]);
  });

  it("fails if the server has made one token of two, until it does not", async () => {
    const probe = await start([6, 7]);
    const call = makeImageCall([10, 11, 12, 12, 12, 13, 14], tokenBytes);
    const both = [probe.require(call, image), probe.require(call, image)];
    for (const each of both)
      await expect(each).rejects.toThrow("decodes the ids of prompts with images and tokenizes the text again");
    await probe.require(call, image);
    expect(server.requests).toHaveLength(2);
  });

  it("is not preceded by one if only later tokens of the vocabulary are two others together", async () => {
    const probe = await start([7]);
    const call = (place: number) =>
      makeImageCall([10, 11, 12, 12, 12, 13, 14], (id) => Buffer.from(id === place ? "qu" : (["q", "u"][id] ?? "")));
    await probe.require(call(4096), image);
    expect(server.requests).toEqual([]);
    await new PromptProbe(connections).require(call(4095), image);
    expect(server.requests).toHaveLength(1);
  });

  it("may begin with its image, or end with it", async () => {
    const probe = await start([2 + 3]);
    const first = { ...image, offset: 0 };
    await probe.require({ ...makeImageCall([12, 12, 12], tokenBytes), images: [first] }, first);
    expect(server.requests[0]?.json["input_ids"]).toEqual([1, 2, 12]);
  });

  it("is not preceded by one if no two tokens are another, or if the texts are not known", async () => {
    const probe = await start([5]);
    await probe.require(makeImageCall([10, 11, 12]), image);
    const none = new PromptProbe(connections);
    await none.require(
      makeImageCall([10, 11, 12], (id) => Buffer.from(["q", "ab", "Qu"][id] ?? "")),
      image,
    );
    expect(server.requests).toEqual([]);
  });

  it("is sent if the server answers with an error, which its own request will show", async () => {
    const probe = await start([6], 500);
    await probe.require(makeImageCall([10, 11, 12, 12, 12, 13, 14], tokenBytes), image);
    expect(server.requests).toHaveLength(1);
  });
});
