import { TIME_LANGUAGES, type TimeLanguage } from '../../../lib/civil/languages'
import { type CommandWords, ENGLISH_WORDS, type WordClass } from './english'
import { FRENCH_WORDS } from './french'
import { GERMAN_WORDS } from './german'
import { SPANISH_WORDS } from './spanish'

/** The languages of commands, in the order in which they are tried: those of dates. */
export const LANGUAGES = TIME_LANGUAGES

const TABLES: Readonly<Record<TimeLanguage, CommandWords>> = {
  ...{ en: ENGLISH_WORDS, de: GERMAN_WORDS, fr: FRENCH_WORDS, es: SPANISH_WORDS },
}

/** Classes that most languages need no words of their own for. */
const SAME: Readonly<Partial<Record<WordClass, WordClass>>> = {
  ...{ strike: 'trash', set: 'make', begin: 'make', titled: 'named', my: 'det' },
}

/** Returns the phrases of a class; '' for none. */
export function phrasesIn(language: TimeLanguage, name: WordClass): string {
  const own = TABLES[language][name]
  const same = SAME[name]
  return own ?? (same && TABLES[language][same]) ?? (name === 'mark' ? ENGLISH_WORDS.mark : '')
}

type Names<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Names<Rest> : Text

/** Returns the classes that a text names, with spaces between them; one that does not exist is an error of types. */
export const classesIn = <const Text extends string>(names: Names<Text> extends WordClass ? Text : never) =>
  names.split(' ') as Names<Text>[]

/** Classes of verbs that a command can begin with. */
export const VERB_CLASSES: readonly WordClass[] = classesIn(
  'put make set begin append amend replace rename trash strike check tick finish reopen uncheck state move file labels untag restore take remind nudge jot memo tell offer find sum draft turn shows howmany',
)

/** Priorities that a question names, as terms of the task filter. */
export const PRIORITY_TERMS = { p1: 'p1', p2: '(p1 or p2)', p3: 'p3', p4: 'p4', p0: 'p0' } as const
/** States that a question names, as terms of the task filter. */
export const STATE_TERMS = {
  ...{ finished: 'done', overdue: 'overdue', undated: 'undated', recurring: 'recurring', blocked: 'blocked' },
  ...{ in_progress: 'in_progress', cancelled: 'cancelled' },
} as const
/** Words before a date that tell how days compare with it. */
export const DAY_SIDES = { before: 'before', until: 'until', after: 'after', since: 'from' } as const
