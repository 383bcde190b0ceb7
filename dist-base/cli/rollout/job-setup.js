/** Returns the weight version at the start: that of the process before, if the job goes on. */
export function readStartVersion({ options, journal }) {
    return (journal?.isResumed && journal.version) || options.fromVersion;
}
//# sourceMappingURL=job-setup.js.map