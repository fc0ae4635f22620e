/** The languages in which dates and times are read. Their words, 200 KB, are loaded when a text is to be read. */
export const TIME_LANGUAGES = ['en', 'de', 'fr', 'es'] as const
export type TimeLanguage = (typeof TIME_LANGUAGES)[number]
