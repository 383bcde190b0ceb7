import { chatMessagesSchema } from "../../src/conversation/chat-message.js";
import { native } from "../../src/native/addon.js";
import type { Session } from "../../src/session/session.js";
import { assistant } from "./turn.js";

/** Records `calls` calls with a megabyte of text each, and ends the session. */
export function recordLarge(session: Session, calls: number): void {
  for (let call = 0; call < calls; call++) {
    const generation = new native.Generation();
    generation.append(Int32Array.of(call), Float32Array.of(-1), 0);
    session.record({
      prepared: session.prepare({
        messages: chatMessagesSchema.parse([{ role: "user", content: `${call} ${"x".repeat(1 << 20)}` }]),
      }),
      output: chatMessagesSchema.parse([assistant("!")]),
      prompt: session.prompt([Int32Array.of(1, 2)]),
      generation,
      finishReason: "stop",
      api: "chat.completions",
    });
  }
  session.end();
}
