/** Describes what the schemas of a route leave out. */
export interface OperationFacts {
    /** Name of the call in generated clients. */
    readonly id: string;
    readonly tag: Tag;
    /** Name of the schema of its body. */
    readonly request?: string;
    /** Name of the schema of its JSON answer. */
    readonly answer?: string;
    /** Answers that are not JSON, by media type. The key of a stream is `text/event-stream`. */
    readonly also?: Readonly<Record<string, OtherContent>>;
    /** Statuses of errors that this call has in addition to those of all calls with its kind of key. */
    readonly errors?: readonly number[];
}
export interface OtherContent {
    readonly description: string;
    readonly schema: object;
    readonly example?: string;
}
export declare const TAGS: {
    readonly Models: "Model calls of agents, in the APIs of OpenAI, Anthropic and Google. They need a session key.";
    readonly Sessions: "Capacity, sessions, rewards and transcripts.";
    readonly Exports: "Training data of ended sessions.";
    readonly Engine: "Engine servers, weights and their version.";
    readonly Service: "Probes and metrics.";
};
export type Tag = keyof typeof TAGS;
/** Schemas that only {@link OPERATIONS} uses. */
export declare const EXTRA_SCHEMAS: {
    SharedBatch: {
        type: string;
        description: string;
        properties: {
            id: {
                type: string;
            };
            path: {
                type: string;
            };
            byte_length: {
                type: string;
            };
        };
        required: string[];
    };
};
/** Every described call, by method and path. A call that is missing here makes the description fail. */
export declare const OPERATIONS: Readonly<Record<string, OperationFacts>>;
/** Names of schemas inside others, by the path to them. Wherever the same schema occurs, it gets the name. */
export declare const INNER_SCHEMAS: Readonly<Record<string, readonly string[]>>;
