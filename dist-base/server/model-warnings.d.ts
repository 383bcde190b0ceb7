import type { Engine } from "../engine/engine.js";
import type { ChatModel } from "../model/chat-model.js";
/** A feature of the model that the server does not support. Calls are served, but not as an agent may expect. */
export interface ModelWarning {
    /** The configuration key that may change it. */
    readonly key: string;
    readonly message: string;
}
/** Returns a warning for each way of using tool calls that the server does not support for its model. */
export declare function listModelWarnings({ toolCalls }: Pick<ChatModel, "toolCalls">, engine: Pick<Engine, "supports">, chatTemplateType: "hf" | "concat"): ModelWarning[];
/** Why a call cannot be required of a model without a family. */
export declare const UNREAD_CALLS: string;
