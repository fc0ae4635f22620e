/**
 * Stems: what words of one family share (`batteries`, `battery`), by Porter's and the Snowball algorithms of
 * `@orama/stemmers`. What language a text is in follows from its script, and in Latin letters from its commonest words.
 */
import { stemmer as arabic } from '@orama/stemmers/arabic'
import { stemmer as danish } from '@orama/stemmers/danish'
import { stemmer as dutch } from '@orama/stemmers/dutch'
import { stemmer as english } from '@orama/stemmers/english'
import { stemmer as french } from '@orama/stemmers/french'
import { stemmer as german } from '@orama/stemmers/german'
import { stemmer as italian } from '@orama/stemmers/italian'
import { stemmer as portuguese } from '@orama/stemmers/portuguese'
import { stemmer as russian } from '@orama/stemmers/russian'
import { stemmer as spanish } from '@orama/stemmers/spanish'
import { stemmer as swedish } from '@orama/stemmers/swedish'
import { fold } from './fold'

/** The languages of Latin letters; their order is the bit that stands for each in what is stored: only ever add. */
export const LATIN = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da'] as const

export type Latin = (typeof LATIN)[number]

const STEMMERS: Readonly<Record<Latin | 'ru' | 'ar', (word: string) => string>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  pt: portuguese,
  nl: dutch,
  sv: swedish,
  da: danish,
  ru: russian,
  ar: arabic,
}

/** Words that nearly every text of a language has, and that few texts of the others have. */
const COMMON: Readonly<Record<Latin, string>> = {
  en: 'the and of to is that with for was this are not you have from it be on as by at',
  de: 'der die und das ist nicht ein eine mit von zu den auf für dem ich sich des auch wie wird sind',
  fr: 'le la les et est des une dans pour que qui pas sur avec du au il ce cette sont vous nous',
  es: 'el la los las y es de que en un una por con para no del se su como más al lo',
  it: 'il lo gli di che è un una per con non del della sono si nel come più alla le anche',
  pt: 'o os as e é de que em um uma por com para não do da se dos das como mais ao',
  nl: 'de het een en van is dat niet op te zijn voor met die er aan ook als wordt bij',
  sv: 'och att det som en är på av för med den till inte har jag ett om var de',
  da: 'og at det som en er på af for med den til ikke har jeg et om var de der',
}

const VOTES = new Map<string, Latin[]>()
for (const language of LATIN) {
  for (const word of COMMON[language].split(' ')) VOTES.set(word, [...(VOTES.get(word) ?? []), language])
}

/** Words of a text that are looked at, and the votes below which it counts as English. */
export const SAMPLE_WORDS = 400
const FEWEST_VOTES = 2

/** The language of a text in Latin letters by its commonest words; English where unsure. @param words lower case */
export function languageOf(words: readonly string[]): Latin {
  const votes = new Map<Latin, number>()
  for (const word of words.slice(0, SAMPLE_WORDS)) {
    // A word that several languages share says less of each.
    const languages = VOTES.get(word)
    for (const one of languages ?? []) votes.set(one, (votes.get(one) ?? 0) + 1 / (languages?.length ?? 1))
  }
  const [best, second] = [...votes].sort((a, b) => b[1] - a[1])
  return best && best[1] >= FEWEST_VOTES && best[1] > (second?.[1] ?? 0) ? best[0] : 'en'
}

/** Words whose stems are remembered, in each language: a few megabytes at most. */
const REMEMBERED = 20_000
/** Longer words are no words of a language. */
const LONGEST = 40

const LETTERS = { latin: /^\p{Script=Latin}+$/u, cyrillic: /^\p{Script=Cyrillic}+$/u, arabic: /^\p{Script=Arabic}+$/u }

const stems = new Map<string, Map<string, string>>()

/** The stem of a word, folded; the folded word itself where it has none. @param word lower case, as written */
export function stemOf(word: string, latin: Latin): string {
  const known = stems.get(latin) ?? new Map<string, string>()
  if (known.size === 0) stems.set(latin, known)
  const remembered = known.get(word)
  if (remembered !== undefined) return remembered
  if (known.size >= REMEMBERED) known.clear()
  const stem = computeStem(word, latin)
  known.set(word, stem)
  return stem
}

function computeStem(word: string, latin: Latin): string {
  if (word.length < 3 || word.length > LONGEST) return fold(word)
  if (LETTERS.latin.test(word)) return fold(STEMMERS[latin](word))
  if (LETTERS.cyrillic.test(word)) return fold(STEMMERS.ru(word))
  return LETTERS.arabic.test(word) ? fold(STEMMERS.ar(fold(word))) : fold(word)
}
