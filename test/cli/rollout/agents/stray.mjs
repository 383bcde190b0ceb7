import { agent as chat } from "./chat.mjs";

/** As the chat agent; then it does what its task tells, which is no good manners in a process that it shares. */
export const agent = {
  async run({ stray, ...data }, context) {
    const reward = await chat.run(data, context);
    if (stray === "timer") setInterval(() => {}, 1000);
    if (stray === "rejection") void Promise.reject(new Error("nobody awaits this"));
    if (stray === "exit") process.exit(0);
    if (stray === "throw") {
      setImmediate(() => {
        throw new Error("nobody catches this");
      });
      await new Promise(() => {});
    }
    return reward;
  },
};
