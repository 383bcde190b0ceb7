import { InsertedJson } from "../../protocols/raw-json.js";
/** Numbers as a JSON string of base64. `JSON.stringify` would search megabytes of it for characters to escape. */
export declare class Base64Json extends InsertedJson {
    #private;
    constructor({ buffer, byteOffset, byteLength }: Int32Array | Float32Array);
    get size(): number;
    get memory(): number;
    pieces(): Generator<string, void, void>;
}
