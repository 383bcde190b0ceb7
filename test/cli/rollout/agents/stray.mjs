import { agent as chat } from "./chat.mjs";

/** Works like the chat agent, then does what its task says. This disturbs the process that it shares with other agents. */
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
