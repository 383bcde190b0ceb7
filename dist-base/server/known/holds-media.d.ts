/** Returns true if an element of a conversation has the data of an image, a file or audio. The time does not depend on its length. */
export declare function holdsMedia(value: unknown, depth?: number): boolean;
