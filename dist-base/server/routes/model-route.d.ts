import type { FastifyReply, FastifyRequest } from "fastify";
import type { GenerationAnswer } from "../../protocols/generation-answer.js";
import type { ModelRequest } from "../../protocols/model-request.js";
import type { StreamEncoder } from "../../protocols/stream-encoder.js";
import type { Api } from "../../session/interaction.js";
import type { CallRecord } from "../call/model-call.js";
import type { ServerContext } from "../context.js";
/** The parts of a model call that depend on its protocol. */
export interface ProtocolCall {
    readonly api: Api;
    readonly idPrefix: string;
    readonly request: ModelRequest;
    readonly encoder: () => StreamEncoder;
    /** @param others the answers of the further choices */
    readonly toResponse: (answer: GenerationAnswer, others: readonly GenerationAnswer[]) => object;
    /** See {@link ModelCall.measureKept}. */
    readonly measureKept?: () => number;
    /** See {@link ModelCall.onRecorded}. */
    readonly onRecorded?: (record: CallRecord) => Promise<void> | undefined;
}
/** Runs a model call and sends the answer, whole or as a stream. */
export declare function answerModelCall(context: ServerContext, request: FastifyRequest, reply: FastifyReply, protocol: ProtocolCall): Promise<FastifyReply>;
