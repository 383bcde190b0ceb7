import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type AgentTransport, type ProcessMessage, TaskNotTaken } from "./agent-process.js";
import { SubprocError } from "./errors.js";
import { pickLoaders } from "./loaders.js";
import { decodeError, type WorkerMessage } from "./messages.js";
import { createBareEnvironment } from "./task-environment.js";

/**
 * Creates the transport of Node processes, over the channel of `fork`. Each task names its agent.
 *
 * @param nodeArguments Node arguments of the processes, in addition to the loaders of this process
 */
export function createForkTransport(nodeArguments: readonly string[] = []): AgentTransport {
  const isSource = import.meta.url.endsWith(".ts");
  const file = fileURLToPath(new URL(isSource ? "./worker.ts" : "./worker.js", import.meta.url));
  return {
    spawn: () =>
      fork(file, [], {
        detached: true,
        serialization: "advanced",
        env: createBareEnvironment(),
        stdio: ["ignore", "pipe", "pipe", "ipc"],
        execArgv: [...pickLoaders(process.execArgv), ...(isSource ? ["--import", "tsx"] : []), ...nodeArguments],
      }),
    // The agent may send messages of its own, which belong to no task.
    listen: (child, listener) =>
      child.on("message", (message: WorkerMessage | null) => message?.id !== undefined && listener(decode(message))),
    send(child, message) {
      if (!child.connected) throw new TaskNotTaken("its connection was closed");
      try {
        // The callback ignores errors: a message cannot be sent if the process has ended, and that end is reported elsewhere.
        child.send(message, () => {});
      } catch (cause) {
        const text = `The task cannot be sent to another process: ${(cause as Error).message}`;
        throw new SubprocError("not_serializable", text, { cause });
      }
    },
    printed: ({ stdout }) => (stdout ? [stdout] : []),
    handles: (child) => [child, child.channel],
  };
}

function decode(message: WorkerMessage): ProcessMessage {
  return message.type === "failed" ? { ...message, error: decodeError(message.error) } : message;
}
