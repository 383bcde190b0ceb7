import { type Operation } from "./document.js";
import { type OperationFacts } from "./operations.js";
/** Schemas by name. A name stands for one schema only. */
export declare class NamedSchemas {
    #private;
    /** @throws Error if the name stands for another schema */
    add(name: string, schema: object): void;
    /** Gives the schemas inside others their names. */
    addInner(): void;
    /** Returns all schemas; each is a reference wherever another one contains it. */
    list(): Record<string, object>;
}
/** Replaces the schemas of an operation's body and JSON answers by references to named ones. */
export declare function nameSchemas(operation: Operation, facts: OperationFacts, named: NamedSchemas): void;
