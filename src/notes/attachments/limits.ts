/** Bytes of one file with a key, apart from the code that stores it: a reader in a Worker needs nothing else. */
export const MAX_ATTACHMENT_BYTES = 32 * 1024 * 1024
