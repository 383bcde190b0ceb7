// Writes a batch with images, for tests of Python: node image_batches.mjs <dist/index.js> <description>
// The description is JSON: `out`, the file to write; `red` and `blue`, the image files; `branches`, whether there is a further row;
// `calls`, further sessions of one call that shows the red image: `prompt` and `output` ids, and the image's first token and length;
// `pad`, the token of images; `options` of the export.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [index, description] = process.argv.slice(2);
const { TrajectoryStore } = await import(pathToFileURL(index));
const { out, red, blue, branches, calls, pad, options } = JSON.parse(description);
const [redBytes, blueBytes] = [red, blue].map((path) => new Uint8Array(readFileSync(path)));
const pads = (count) => Array(count).fill(pad);
const user = (content) => ({ role: "user", content });
const output = { role: "assistant", content: "ok" };
const call = (messages, prompt, outputIds, images) => ({
  messages,
  output,
  promptIds: Int32Array.from(prompt),
  outputIds: Int32Array.from(outputIds),
  logprobs: Float32Array.from(outputIds, () => -0.5),
  versions: 1,
  finishReason: "stop",
  images,
});

const store = new TrajectoryStore();
const first = [user("1")];
const a = store.createSession({ sessionId: "a" });
const redImage = { offset: 1, length: 4, bytes: redBytes };
const blueImage = { offset: 7, length: 6, bytes: blueBytes };
const prompt = [1, ...pads(4), 2];
a.record(call(first, prompt, [3], [redImage]));
a.record(call([...first, output, user("2")], [...prompt, 3, ...pads(6), 4], [5], [redImage, blueImage]));
if (branches)
  a.record(call([...first, output, user("3")], [...prompt, 6, ...pads(6), 4], [5], [redImage, blueImage]));
const b = store.createSession({ sessionId: "b" });
b.record(call(first, pads(6), [7, 8], [{ ...blueImage, offset: 0 }]));
const c = store.createSession({ sessionId: "c" });
c.record(call(first, [1, 2], [3], []));
const others = calls.map(({ prompt, output, offset, length }, i) => {
  const session = store.createSession({ sessionId: `call-${i}` });
  session.record(call(first, prompt, output, [{ offset, length, bytes: redBytes }]));
  return session;
});
for (const session of [a, b, c, ...others]) session.end();
const batch = await store.exportBatch(["a", "b", "c", ...others.map(({ id }) => id)], options);
writeFileSync(out, batch.bytes);
for (const { sha256, mediaType, bytes } of batch.imageFiles) {
  mkdirSync(`${out}.images`, { recursive: true });
  writeFileSync(`${out}.images/${sha256}.${mediaType.replace("image/", "")}`, bytes);
}
store.close();
