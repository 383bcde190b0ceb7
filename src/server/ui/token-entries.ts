import type { TokenEntries } from "../../batch-file/token-texts.js";
import type { ChatModel } from "../../model/chat-model.js";
import type { TokenEntry } from "../../model/output/detokenizer/vocabulary.js";

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the texts of a model's tokens. A token whose bytes are no whole characters is a part of one. */
export function tokenEntries(model: Pick<ChatModel, "tokenBytes">): TokenEntries {
  return {
    entry: (id: number): TokenEntry => {
      const bytes = model.tokenBytes(id);
      try {
        return { kind: "text", text: strictUtf8.decode(bytes) };
      } catch {
        return { kind: "bytes", bytes };
      }
    },
  };
}
