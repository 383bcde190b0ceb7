import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ImagePart } from "../../src/conversation/content.js";
import type { Message } from "../../src/conversation/message.js";
import { type StoreExportOptions, TrajectoryStore } from "../../src/session/trajectory-store.js";
import type { TranscriptInteraction } from "../../src/transcript/format.js";
import { digestOf, makePng, pngChunk } from "../helpers/images.js";
import { encode, episode, interaction, RUN } from "../transcript/lines.js";
import { testFolder } from "./recorded-run.js";

/** A picture that is a web page, too, for a browser that guesses the type of a file. */
export const HARMFUL = "<html><script>window.harmed = 1</script></html>";

/** The image of the user's message, and that of a tool's result. */
export const [QUESTION, RESULT] = [
  makePng(40, 30, 30),
  makePng(90, 10, 200, [pngChunk("tEXt", Buffer.from(`Comment\0${HARMFUL}`))]),
];

const PAD = 9;

const part = (file: Uint8Array, width: number, height: number): ImagePart => ({
  type: "image",
  sha256: digestOf(file),
  mediaType: "image/png",
  width,
  height,
});

const user: Message = {
  role: "user",
  content: [
    { type: "text", text: "Look at this: " },
    part(QUESTION, 40, 30),
    { type: "text", text: " It has a needle." },
  ],
};
const call: Message = {
  role: "assistant",
  content: "",
  toolCalls: [{ id: "call_1", name: "screenshot", arguments: "{}" }],
};
const result: Message = {
  role: "tool",
  toolCallId: "call_1",
  content: [part(RESULT, 90, 10), { type: "text", text: '{"ok":true}' }],
};
const last: Message = { role: "assistant", content: "A bar." };

const CALLS = [
  { messages: [user], answer: call, prompt: [1, PAD, PAD, 2], output: [3] },
  { messages: [result], answer: last, prompt: [1, PAD, PAD, 2, 3, 4, PAD, PAD, PAD, 5], output: [6] },
] as const;

const placed = [
  { offset: 1, length: 2, bytes: QUESTION },
  { offset: 6, length: 3, bytes: RESULT },
];

/** Returns a message in the shape that a store takes. */
function toStored({ content, toolCalls, toolCallId, ...message }: Message) {
  return {
    ...message,
    content:
      typeof content === "string"
        ? content
        : content.map((each) =>
            each.type === "text"
              ? each
              : {
                  type: "image",
                  sha256: each.sha256,
                  media_type: each.mediaType,
                  width: each.width,
                  height: each.height,
                },
          ),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
    ...(toolCalls && {
      tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
        id,
        type: "function",
        function: { name, arguments: text },
      })),
    }),
  };
}

/** Records a session with two images. Writes its batch and a transcript, which has a rejected episode with an image, too. */
export async function recordImages(options: StoreExportOptions = {}): Promise<{
  readonly transcript: string;
  readonly batch: string;
}> {
  const folder = testFolder();
  const store = new TrajectoryStore();
  const session = store.createSession({ sessionId: "s-0", taskId: "task" });
  const history: object[] = [];
  for (const [index, { messages, answer, prompt, output }] of CALLS.entries()) {
    history.push(...messages.map(toStored));
    session.record({
      messages: [...history] as never,
      output: toStored(answer) as never,
      promptIds: Int32Array.from(prompt),
      outputIds: Int32Array.from(output),
      logprobs: Float32Array.from(output, () => -1),
      versions: 0,
      finishReason: "stop",
      interactionId: `i-${index}`,
      images: placed.slice(0, index + 1),
    });
    history.push(toStored(answer));
  }
  session.setSessionReward(1);
  session.end();
  const batch = join(folder, "batch.safetensors");
  writeFileSync(batch, (await store.exportBatch(["s-0"], options)).bytes);
  const interactions = CALLS.map(({ messages, answer, prompt, output }, index): TranscriptInteraction => {
    const counts = { prompt_tokens: prompt.length, completion_tokens: output.length, shared_tokens: index * 5 };
    return interaction({ id: `i-${index}`, parent: index - 1, kept: 2 * index, messages, answer, ...counts });
  });
  const lines = encode([
    RUN,
    episode({ session_id: "s-0", interactions, session_reward: 1 }),
    episode({ session_id: "s-1", task: 1, accepted: false, interactions: interactions.slice(0, 1) }),
    { type: "batch", number: 0, file: "batch.safetensors", version: 0, at: 1010, session_ids: ["s-0"] },
  ]);
  const transcript = `${batch}.jsonl`;
  writeFileSync(transcript, lines.transcript);
  writeFileSync(`${transcript}.index`, lines.index);
  return { transcript, batch };
}
