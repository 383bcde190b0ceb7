/** The proxy that a job uses. */
export interface JobProxy extends AsyncDisposable {
    readonly url: string;
    readonly adminKey: string;
}
