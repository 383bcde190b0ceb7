import type { EngineReply } from "../../../native/contract.js";
import { type Finish, type GenerateCall } from "../../engine.js";
/**
 * Checks a reply against its request.
 *
 * @param inputTokens prompt tokens that were sent
 * @throws EngineError if the server used other prompt tokens, or aborted the generation with a status code
 */
export declare function checkReply({ promptTokens, finish, tokens }: EngineReply, inputTokens: number): void;
/** Returns the finish reason; undefined if the generation was cut and can be resumed. */
export declare function readFinish({ finish }: EngineReply, { generation, sampling }: GenerateCall): Finish | undefined;
