import type { Tensor } from "../session/batch/tensor.js";
import type { RecordedSampling } from "../session/recorded-sampling.js";
import { type Completion } from "./completion.js";
import { type ModelResponse } from "./model-response.js";
import type { RecordedMessage, WireInteraction } from "./wire-interaction.js";
/**
 * `individual`: one row for every interaction. `concat`: one row for each leaf of the tree, with the outputs of its
 * ancestors.
 */
export type ExportStyle = "individual" | "concat";
/**
 * Training tensors of one interaction. All have shape [1, L] (input tokens, then output tokens), except `rewards` with
 * shape [1]. `versions` is −1 at input positions.
 */
export type TensorDict = {
    readonly [name in "input_ids" | "loss_mask" | "logprobs" | "versions" | "attention_mask" | "rewards"]: Tensor;
};
/** The parts of an export that its interactions need. */
export interface ExportContext {
    /** The model that the proxy named in its answers; undefined if the proxy is too old to send it. */
    readonly model: string | undefined;
    /** All interactions of the export. */
    readonly all: ReadonlyMap<string, Interaction>;
}
/** One recorded model call as it is exported. */
export declare class Interaction {
    #private;
    readonly id: string;
    /** Undefined for a root of the tree. */
    readonly parentId: string | undefined;
    /** For a root: the earlier interaction that the client compacted this conversation from. */
    readonly compactedFromId: string | undefined;
    /** True if the parent's tokens are a prefix of this interaction's tokens. */
    readonly tokenExact: boolean;
    /** The reward after the discount. */
    readonly reward: number;
    /** The reward that was set for this interaction itself; undefined if none was set. */
    readonly ownReward: number | undefined;
    readonly api: string;
    /** `model` of the request: untrusted text. Undefined if it had none. */
    readonly requestedModel: string | undefined;
    /** Types of the server-side tools that the prompt left out. Undefined if the proxy is too old to send them. */
    readonly droppedTools: readonly string[] | undefined;
    /** Number of tools that the prompt showed. Undefined if not recorded. */
    readonly tools: number | undefined;
    /** Header `x-rolltape-tag` of the request. */
    readonly tag: string | undefined;
    /** Kind of the call that the agent program reports. Like the ids below, it is untrusted text. */
    readonly requestKind: string | undefined;
    /** The agent or thread that made the call. */
    readonly agentId: string | undefined;
    /** The agent or thread that started `agentId`. */
    readonly parentAgentId: string | undefined;
    readonly turnId: string | undefined;
    /** Number of images, files and audio that the prompt shows as placeholders. Undefined if the proxy is an older version. */
    readonly placeholders: number | undefined;
    /** Index of the answer among those of its call. Undefined if the proxy is an older version. */
    readonly choice: number | undefined;
    /** Number of answers of its call (`n`). Undefined if the proxy is an older version. */
    readonly choices: number | undefined;
    /** How often the client had sent this request before. */
    readonly attempt: number | undefined;
    /** Seconds since the epoch, when the call completed. */
    readonly createdAt: number;
    /** Seconds from the request to the end of the call; undefined if not recorded. */
    readonly latency: number | undefined;
    readonly finishReason: string;
    /** Why the prompt does not begin with the parent's tokens: a cause of docs/explanation/prompts.md. */
    readonly cause: string | undefined;
    /** How the tokens were drawn, and what `logprobs` include. Undefined if the proxy is too old to send it. */
    readonly sampling: RecordedSampling | undefined;
    /** Input messages: untrusted text. Undefined unless the export includes messages. */
    readonly messages: readonly RecordedMessage[] | undefined;
    /** The model's answer: untrusted text. Undefined unless the export includes messages. */
    readonly outputMessages: readonly RecordedMessage[] | undefined;
    constructor(wire: WireInteraction, context: ExportContext);
    /**
     * The interaction that this one continues. Undefined for a root, and if the export does not contain the parent, as in style
     * `concat`, which exports leaves only. `parentId` names the parent in any case.
     */
    get parent(): Interaction | undefined;
    /** The engine's input and output, decoded on every access. */
    get modelResponse(): ModelResponse;
    /**
     * The answer that the agent got, in the shape of OpenAI's chat completions. Undefined for calls of other APIs, and unless
     * the export includes messages.
     */
    get completion(): Completion | undefined;
    /** Returns the tensors, decoded on every call. */
    toTensorDict(): TensorDict;
}
