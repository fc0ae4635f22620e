/** The limits of a note. They are not in note.ts, because the parsers of imported files need nothing else of a note. */

/** In code points. */
export const MAX_TITLE_CHARS = 500
/** In UTF-8. */
export const MAX_NOTE_BODY_BYTES = 1024 * 1024
/** In code points. */
export const MAX_FOLDER_CHARS = 512
export const MAX_FOLDER_LEVELS = 16
/** In code points. */
export const MAX_TAG_CHARS = 100
export const MAX_TAGS = 64
/** As JSON in UTF-8. */
export const MAX_PROPERTIES_BYTES = 64 * 1024
/** Levels of objects and arrays. */
export const MAX_PROPERTIES_LEVELS = 16
