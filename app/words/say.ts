/**
 * The sentences of the app in the reader's language. English is in the code, where it is shown; de.json, fr.json and es.json
 * have the other languages, by the English sentence with `{0}`, `{1}` for its values: say`Deleted ${n} {note|notes}.` is
 * "Deleted {0} {note|notes}." there. A sentence that a catalogue lacks is English.
 *
 * `{note|notes}` chooses between the forms for one and for others by the last number before it, `{0:note|notes}` by the one
 * that it names. `{# adjective}` tells translators apart what English says alike, and is not shown.
 */
import { recall, remember } from '../data/remembered'
import { type Catalogue, createSentences } from './sentences'

const LOADERS: Readonly<Record<'de' | 'fr' | 'es', () => Promise<{ readonly default: Catalogue }>>> = {
  de: () => import('./de.json'),
  fr: () => import('./fr.json'),
  es: () => import('./es.json'),
}

type Language = 'en' | keyof typeof LOADERS

const NAME = 'satchel.language'

/** The languages of the browser, the one wanted most first. */
const wanted = () => globalThis.navigator?.languages ?? []

/** The language of the page, which is fixed until it is loaded again. */
export const language: Language = languageFor(recall(NAME), wanted())

/** What `Intl` is given for dates and numbers. English has the day before the month, and 24 hours. */
export const locale = language === 'en' ? 'en-GB' : language

const catalogue: Record<string, string> = {}

export const { say, sayWith } = createSentences(locale, catalogue)

/** What the words of public/, which the key page has as well, are told with. */
export const reader = { say, locale }

/** Loads the sentences of the language, before any other part of the app is. If they cannot be loaded, English is left. */
export async function loadSentences(): Promise<void> {
  if (language === 'en') return
  const loaded = await LOADERS[language]().catch(() => null)
  Object.assign(catalogue, loaded?.default)
}

/** Keeps the language of the workspace for the next start; null: the browser’s. Returns whether it is another one. */
export function keepLanguage(chosen: Language | null): boolean {
  if (recall(NAME) !== (chosen ?? '')) remember(NAME, chosen ?? '')
  return languageFor(chosen ?? '', wanted()) !== language
}

/**
 * The chosen language, or else the first of those wanted that the app has; they are tags such as `de-AT`.
 * @param chosen empty: none
 */
export function languageFor(chosen: string, wanted: readonly string[]): Language {
  const isKnown = (name: string): name is Language => name === 'en' || Object.hasOwn(LOADERS, name)
  return [chosen, ...wanted].map((tag) => tag.toLowerCase().split('-', 1)[0] ?? '').find(isKnown) ?? 'en'
}
