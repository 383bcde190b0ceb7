/** `rolltape storage inspect`: prints what a storage folder has. */
export declare function inspectFolder(directory: string, { json }: {
    readonly json?: boolean;
}): Promise<void>;
/** `rolltape storage verify`: reads every record of a storage folder and lists what is damaged. */
export declare function verifyFolder(directory: string, { all }?: {
    readonly all?: boolean;
}): void;
/** `rolltape storage compact`: gives unused space of a storage folder back to the disk. */
export declare function compactFolder(directory: string, { leaveOutDamaged }?: {
    readonly leaveOutDamaged?: boolean;
}): Promise<void>;
