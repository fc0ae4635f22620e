/**
 * What a note may have at most. Lengths are in code points, sizes in bytes of UTF-8; of properties, as JSON. Apart from
 * note.ts, since who reads a file to import needs nothing else of a note.
 */

export const TITLE_LENGTH = 500
export const NOTE_BODY_BYTES = 1024 * 1024
export const FOLDER_LENGTH = 512
export const FOLDER_LEVELS = 16
export const TAG_LENGTH = 100
export const PROPERTIES_BYTES = 64 * 1024
/** Levels of objects and arrays. */
export const PROPERTIES_DEPTH = 16
