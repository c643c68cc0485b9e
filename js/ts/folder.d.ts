/** Reads a file of the package, which is in the folder above. */
export declare function readFile(name: string): Uint8Array;
