import { z } from "zod";
/**
 * Returns a parser for the argument of an option. It returns the argument, as text or as a number, if the schema allows it.
 *
 * @throws InvalidArgumentError with the allowed values. Commander puts the option and the received text before it.
 */
export declare function optionValue<T>(schema: z.ZodType<T>): (text: string) => T;
