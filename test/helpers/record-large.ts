import { chatMessagesSchema } from "../../src/conversation/chat-message.js";
import { native } from "../../src/native/addon.js";
import type { Session } from "../../src/session/session.js";
import { recordTurn } from "./record-turn.js";
import { assistant } from "./turn.js";

/** Records `calls` calls with a megabyte of text each, and ends the session. */
export function recordLarge(session: Session, calls: number): void {
  for (let call = 0; call < calls; call++) {
    const generation = new native.Generation();
    generation.append(Int32Array.of(call), Float32Array.of(-1), 0);
    const messages = chatMessagesSchema.parse([{ role: "user", content: `${call} ${"x".repeat(1 << 20)}` }]);
    const answer = { output: chatMessagesSchema.parse([assistant("!")]), generation };
    recordTurn(session, { messages }, answer, { pieces: [Int32Array.of(1, 2)] });
  }
  session.end();
}
