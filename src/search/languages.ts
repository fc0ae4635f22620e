/**
 * Stems: the part that words of one family share (`batteries`, `battery`), by Porter's and the Snowball algorithms of
 * `@orama/stemmers`. The language of a text follows from its script, and in Latin letters from its most common words.
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

/** The languages in Latin letters. Votes are counted by this order. */
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

/** The languages that have each of these words, as indexes into LATIN. */
const VOTES = new Map<string, number[]>()
for (const [i, language] of LATIN.entries()) {
  for (const word of COMMON[language].split(' ')) VOTES.set(word, [...(VOTES.get(word) ?? []), i])
}

/** Question words, and further words that say nothing of what a text is about, in the same languages. */
const QUESTION_WORDS: Readonly<Record<Latin, string>> = {
  en: 'how what which who whom whose when where why do does did can could should would will may might must i me my we our us your he she they them their his her its am be been being has had having a an if or so than then there here these those into about any some also use used using make get way please tell',
  de: 'wer was wann wo warum wieso welche welcher welches kann können soll ich er es wir ihr man im am zum zur bei oder wenn als dass haben hat wurde werden war waren sein einen einem einer aus nach über',
  fr: 'qui quoi quel quelle quels quelles quand où comment pourquoi je tu elle on ils elles mon ma mes son sa ses leur est a ont été être avoir peut dois faire ou si',
  es: 'quién qué cuál cuáles cuándo dónde cómo por yo tú él ella ellos mi su sus es son fue ser estar ha han puede puedo hacer o si',
  it: 'chi cosa quale quali quando dove perché io tu lui lei noi voi mio suo ha hanno essere può posso fare o se',
  pt: 'quem quê qual quais quando onde por porque eu tu ele ela nós meu seu sua é são foi ser estar tem pode posso fazer ou se',
  nl: 'wie wat welke wanneer waar waarom hoe ik jij hij zij wij mijn zijn haar kan kunnen moet doen of als',
  sv: 'vem vad vilken vilka när var varför hur jag du han hon vi min sin kan ska göra eller om',
  da: 'hvem hvad hvilken hvilke hvornår hvor hvorfor hvordan jeg du han hun vi min sin kan skal gøre eller hvis',
}
const RUSSIAN =
  'и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из ему когда даже ну вдруг ли если уже или ни быть был него до вас нибудь где кто какой какая какие сколько почему зачем чем это'
const ARABIC =
  'من في على إلى عن أن ما ماذا متى أين كيف لماذا هل هو هي هم هذا هذه ذلك التي الذي الذين كان كانت لا لم لن قد ثم أو و كم أي'

const COMMON_WORDS: ReadonlySet<string> = new Set(
  [...LATIN.flatMap((language) => [COMMON[language], QUESTION_WORDS[language]]), RUSSIAN, ARABIC]
    .join(' ')
    .split(' ')
    .map(fold),
)

/** Whether a word says little of what a text is about, in any of the languages. @param word folded */
export function isCommonWord(word: string): boolean {
  return COMMON_WORDS.has(word)
}

/** Words of a text that are read to detect its language. */
export const SAMPLE_WORDS = 400
/** Votes below which a text counts as English. */
const MIN_VOTES = 2

/**
 * Detects the language of a text in Latin letters by its most common words; English if unsure.
 * @param words lower case
 */
export function detectLanguage(words: readonly string[]): Latin {
  const votes = LATIN.map(() => 0)
  for (let at = 0; at < words.length && at < SAMPLE_WORDS; at++) {
    const languages = VOTES.get(words[at] as string)
    // A word that several languages share counts less for each.
    if (languages) for (const one of languages) votes[one] = (votes[one] as number) + 1 / languages.length
  }
  const most = Math.max(...votes)
  const best = votes.indexOf(most)
  return most >= MIN_VOTES && votes.lastIndexOf(most) === best ? (LATIN[best] ?? 'en') : 'en'
}

/** Longer words are not stemmed: they are not words of a language. */
const MAX_WORD_UNITS = 40

const LETTERS = { latin: /^\p{Script=Latin}+$/u, cyrillic: /^\p{Script=Cyrillic}+$/u, arabic: /^\p{Script=Arabic}+$/u }

/** Returns the folded stem of a word; the folded word itself if it has none. @param word lower case, as written */
export function stemOf(word: string, latin: Latin): string {
  if (word.length < 3 || word.length > MAX_WORD_UNITS) return fold(word)
  if (LETTERS.latin.test(word)) return fold(STEMMERS[latin](word))
  if (LETTERS.cyrillic.test(word)) return fold(STEMMERS.ru(word))
  return LETTERS.arabic.test(word) ? fold(STEMMERS.ar(fold(word))) : fold(word)
}

const HIRAGANA = /[\u3041-\u309f]/
/** Question words, after a particle or at the beginning, with the particles around them. */
const QUESTION_WORD =
  /(?:^|には|では|とは|って|[はがをにでともへの、])(?:いつ(?!も)(?:まで|から|ごろ)?|どこ|誰|だれ|何[時日度人分年月回]?|なに|いくら|いくつ|ど[のれ]くらい|どんな|どう(?:やって|したら|すれば|して|なって)?|なぜ)(?:まで|から|[にへがをの]|で(?!す[かが]|した|しょう|き))?/g
/** Endings of speech. */
const ASKED_ENDING =
  /(?:とは|って|という(?:もの|の)?|について|に関して|のこと|[のん]?(?:です|でした|でしょう|だろう)か?|(?:ます|ました|ません)か?|[のん]?だっけ|を?教えて|ください|下さい|ほしい|[?!。、]|(?<=[うくすつぬむるたい])の)$/
/** Verbs that say nothing by themselves. */
const EMPTY_VERB =
  /^(?:い|い[いる]|し|する|すればいい|して(?:い|いる)?|あり?|ある|でき|できる|なり|なる|なって(?:い|いる)?|こと|も)$/

/**
 * Cuts what a Japanese text asks with, which is no content: `鍵はどこですか` asks for `鍵`, `光合成とは` and
 * `図書館について教えて` alike. What is left may be nothing.
 */
export function cutAsking(text: string): string {
  if (!HIRAGANA.test(text)) return text
  const pieces = text.normalize('NFKC').replace(QUESTION_WORD, ' ').split(' ')
  return pieces
    .map(cutEnding)
    .filter((piece) => !EMPTY_VERB.test(piece))
    .join(' ')
}

function cutEnding(text: string): string {
  const shorter = text.replace(ASKED_ENDING, '')
  return shorter === text ? text : cutEnding(shorter)
}
