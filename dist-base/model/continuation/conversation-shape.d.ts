import type { Conversation, Message } from "../../conversation/message.js";
/** The properties of a conversation on which a probe's result depends. Each shape is probed once. */
export interface Shape {
    readonly hasSystem: boolean;
    readonly hasTools: boolean;
    /** The turn's answer calls tools. */
    readonly calls: boolean;
    /** The role of the message that follows. */
    readonly next: "tool" | "user";
}
export declare function describeShape(hasSystem: boolean, hasTools: boolean, answer: Message, next: Message): Shape;
/** The word in a probe's system message and tool. No template contains it. */
export declare const PROBE_WORD = "rolltapeProbe";
/** Makes short conversations of a shape, one for each form of the answer. The answer ends with {@link PROBE_MARKER}. */
export declare function makeProbes(shape: Shape, history?: readonly Message[]): Conversation[];
export declare const PROBE_MARKER: string;
/** Remembers the result of a probe for each shape. */
export declare class ByShape<T> {
    #private;
    constructor(probe: (shape: Shape) => T);
    get(shape: Shape): T;
}
