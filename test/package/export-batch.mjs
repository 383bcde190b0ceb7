// Records two turns and a branch with the library, and prints the tensors of its batch in hexadecimal digits. Run by arm64.slow.test.ts on
// two architectures. The first argument is the URL of the store's module.
const { TrajectoryStore } = await import(process.argv[2]);

const store = new TrajectoryStore();
const session = store.createSession({ sessionId: "task-0" });
const question = { role: "user", content: "1+1?" };
const answer = { role: "assistant", content: "2" };
const common = { versions: 3, finishReason: "stop" };

session.record({
  ...common,
  interactionId: "first",
  messages: [question],
  output: answer,
  promptIds: Int32Array.of(510, 16, 10, 16, 30),
  outputIds: Int32Array.of(17, 511),
  logprobs: Float32Array.of(-0.1, -0.02),
});
for (const [id, reward] of Object.entries({ right: 1, wrong: -0.3 })) {
  session.record({
    ...common,
    interactionId: id,
    messages: [question, answer, { role: "user", content: "Are you sure?" }],
    output: { role: "assistant", content: id },
    promptIds: Int32Array.of(510, 16, 10, 16, 30, 17, 511, 31),
    outputIds: Int32Array.of(18, reward > 0 ? 19 : 20, 511),
    logprobs: Float32Array.of(-0.7, -1.25, -1e-6),
  });
  session.setReward(reward, id);
}
session.end();
const batch = await store.exportBatch(["task-0"], { style: "individual", discount: 0.9 });
// When a call began and how long it took differs from run to run.
const timed = ["row_created_at", "row_created_at_ms", "row_latency"];
const compared = Object.entries(batch.tensors).filter(([name]) => !timed.includes(name));
const hex = ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength).toString("hex");
const tensors = Object.fromEntries(compared.map(([name, { data }]) => [name, hex(data)]));
process.stdout.write(JSON.stringify({ arch: process.arch, tensors }));
batch.release();
