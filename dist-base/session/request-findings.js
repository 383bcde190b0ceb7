/** Cached results for one request. Later steps of the call and its other choices reuse them. */
export class RequestFindings {
    /** Undefined until it was searched for. */
    compaction;
    /** The part in relation to `parent`. Undefined until it was read. */
    own;
}
//# sourceMappingURL=request-findings.js.map