import type { ChatModel } from "../../model/chat-model.js";
import type { TokenEntries } from "../../view/tokens/token-texts.js";
/** Returns the texts of a model's tokens. A token whose bytes are no whole characters is a part of one. */
export declare function tokenEntries(model: Pick<ChatModel, "tokenBytes">): TokenEntries;
