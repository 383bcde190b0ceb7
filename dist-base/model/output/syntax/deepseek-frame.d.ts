/** The markers of DeepSeek V3 to V3.1. The versions differ in the text between them. */
export declare const DEEPSEEK_CALL: {
    begin: string;
    separator: string;
    end: string;
};
export declare const DEEPSEEK_FRAME: {
    readonly section: {
        begin: string;
        end: string;
    };
    readonly begin: string;
    readonly end: string;
    readonly inner: readonly [string];
};
/** The part of the structure that the versions share. */
export declare const DEEPSEEK_SECTION: {
    trigger: string;
    section: {
        begin: string;
        end: string;
    };
};
