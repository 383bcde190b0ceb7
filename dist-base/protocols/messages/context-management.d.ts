import { z } from "zod";
import type { Message } from "../../conversation/message.js";
export declare const contextManagement: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<number | undefined, unknown>>>;
/**
 * Removes the thinking of all but the last turns that have some. A turn is what the assistant does after a message of the
 * user, with its calls and their results.
 *
 * @param kept how many turns keep their thinking; undefined: all
 */
export declare function clearEarlierThinking(messages: readonly Message[], kept: number | undefined): readonly Message[];
