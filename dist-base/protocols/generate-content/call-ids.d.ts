interface Named {
    readonly id?: string | undefined;
    readonly name: string;
}
/**
 * The ids of a conversation's function calls. They are optional in Gemini's API: a response without an id answers the earliest call
 * of its function that has no response.
 */
export declare class CallIds {
    #private;
    /** Returns the id of a call. A call without one gets the same id in every later request of the conversation. */
    addCall({ id, name }: Named): string;
    /**
     * Returns the id of the call that a response answers.
     *
     * @param param path of the response
     * @throws RequestError if the response has no id, and all earlier calls of its function have a response
     */
    findCall({ id, name }: Named, param: string): string;
}
export {};
