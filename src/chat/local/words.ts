import { TIME_LANGUAGES, type TimeLanguage } from '../../lib/civil/day'
import { Cache } from '../../lib/steps'
import { fold } from '../../search/fold'
import { detectLanguage, isCommonWord, type Latin, stemOf } from '../../search/languages'

/** A word as a search sees it: a run of letters, digits and marks. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu
/**
 * Scripts without spaces between words: a whole clause looks like one word, so its parts are searched. Hangul has
 * spaces, but its words include their particles.
 */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** A word as it is written. */
export interface TextWord {
  readonly text: string
  /** Whether it may be found inside runs of letters, since its script has no spaces between words. */
  readonly inside: boolean
}

/** Splits a text into words, in order; clauses in scripts without spaces are split by a dictionary. */
export function splitWords(text: string): TextWord[] {
  const runs: readonly string[] = text.match(WORD) ?? []
  return runs.flatMap((run) => {
    const inside = UNSPACED.test(run)
    return (inside ? Array.from(segmenter.segment(run), ({ segment }) => segment) : [run]).map((text) => ({
      text,
      inside,
    }))
  })
}

/** Stems that are kept, since texts repeat their words; then the memory is given back. */
const stems = new Cache<string, string>(20_000)

/** Returns the folded stem of a word. @param language that of words in Latin letters */
export function stem(word: string, language: Latin = 'en'): string {
  const key = `${language} ${word}`
  return stems.get(key) ?? stems.keep(key, stemOf(word.normalize('NFC').toLowerCase(), language))
}

/** A text prepared for matching: the stems of its words, and the folded text for words that are found inside runs. */
export interface MatchableText {
  readonly stems: ReadonlySet<string>
  readonly folded: string
}

/** Prepares a text for matching. @param language that of words in Latin letters */
export function readMatchable(text: string, language: Latin = 'en'): MatchableText {
  const words = text.match(WORD)?.map((word) => stem(word, language))
  return { stems: new Set(words), folded: UNSPACED.test(text) ? fold(text) : '' }
}

/** UTF-16 units from which the language of a text is detected. */
const LANGUAGE_UNITS = 2000

/** Tells the language of a text in Latin letters by its most common words; English if unsure. */
export const tellLanguage = (text: string): Latin =>
  detectLanguage(text.slice(0, LANGUAGE_UNITS).toLowerCase().match(WORD) ?? [])

/** Words that say nothing about the subject of a text. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those some any no not nor and or but if then than so such as of at by for with about into onto
  from to in on off up down out over under between during through within without upon per via
  i me my mine we us our ours you your yours he him his she her hers it its they them their theirs one ones
  am is are was were be been being do does did done doing have has had having will would shall should can could may might must
  who whom whose what which when where why how there here again also too very just only own same other both each few more most
  s t d ll m re ve don doesn didn isn aren wasn weren won wouldn can couldn shouldn hasn haven hadn
  please hello hi hey thanks thank ok okay tell show find know say says said give let remember remind wonder whats
  note notes according called

  何 何時 何人 何処 何故 誰 教え
  什么 什麼 甚麼 什么时候 什麼時候 何时 谁 谁是 誰是 哪 哪里 哪裡 哪儿 哪兒 哪个 哪個 怎么 怎麼 怎样 怎樣 如何 为什么 為什麼 为何 為何 多少
  多少钱 多少錢 几 幾 几个 幾個 几点 幾點 的 了 吗 嗎 呢 吧 是 在 有 我 我们 我們 你 请 請 请问 請問 告诉 告訴
  ที่ไหน ไหน เมื่อไร เมื่อ ไร ไหร่ เท่า เท่าไร อะไร ใคร ทำไม กี่ อย่างไร ยังไง ไหม คือ เป็น ที่ ของ อยู่`
    .split(/\s+/)
    .map(fold),
)
/** Korean question words with any particle or verb, and the verb "there is". */
const KOREAN_QUESTION = /^(?:언제|어디|누구|누가|무엇|무슨|뭐|뭔|얼마|어떻게|어느|어떤|왜|몇|있습니까|있나요|있어요)/
/** Japanese particles and endings; other words are mostly longer or in other scripts. */
const PARTICLE = /^\p{Script=Hiragana}{1,3}$/u

/** Words of questions in German, French and Spanish that say nothing of their subject, beside those of the search; folded. */
const FURTHER_WORDS: ReadonlySet<string> = new Set(
  `bitte danke hallo gibt geht heisst heissen dir mir mich dich uns unser unsere mein meine meinen meiner dein
  deine seine viel viele denn mal noch schon habe muss sollen wollte vom beim ins c qu l n j notre votre ton ta
  tes cet doit faut combien s'il merci svp bonjour esta este hay tengo tiene tienes nuestro nuestra nuestros tus
  cuanto cuanta cuantos cuantas lleva hola gracias favor`
    .split(/\s+/)
    .map(fold),
)

/** Whether a word says nothing about the subject. @param language that of its text; null if it may be another than English */
export function isCommon(word: string, language: Latin | null): boolean {
  const folded = fold(word)
  const isForeign = language !== 'en' && (isCommonWord(folded) || FURTHER_WORDS.has(folded))
  return STOP_WORDS.has(folded) || isForeign || PARTICLE.test(word) || KOREAN_QUESTION.test(folded)
}

/** Words by which a short message shows its language, folded. Those that two languages have are left out. */
const TELLING: Readonly<Record<TimeLanguage, ReadonlySet<string>>> = {
  en: words(
    `the my of to is are was what when where who how why which does do did and for with add remind me task note list show
    make please on not have i it that this call move delete due today tomorrow undo you card cards`,
  ),
  de: words(
    `der die das den dem ist sind war was wann wo wer wie warum welche welcher und mit fur auf ein eine einen mein meine
    ich mir mich nicht bitte aufgabe aufgaben notiz erinnere heute morgen faellig fallig karte karten zur zum vom gibt
    hat loesche losche fuge setz setze hak leg mach sie von im am an aus kannst neue`,
  ),
  fr: words(
    `le les des du est sont qui quoi quand ou comment pourquoi quel quelle et avec pour dans une mon ma mes je moi
    ne pas tache taches rappelle aujourd'hui demain carte cartes ajoute supprime c'est l'echeance cree mets sur tu peux
    j'ai au aux ca fais nouvelle combien l'etiquette`,
  ),
  es: words(
    `el los las del es son cual cuando donde quien como por cuanto cuantos y con para una mi mis yo tarea tareas nota
    recuerdame hoy manana tarjeta tarjetas anade borra esta en lo pon crea nueva puedes tengo fecha`,
  ),
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}

/** Tells the language in which a message is written, by its words and signs. @param usual that of a message that shows none */
export function tellSpoken(message: string, usual: TimeLanguage): TimeLanguage {
  const said = fold(message.slice(0, LANGUAGE_UNITS)).match(/[\p{L}']+/gu) ?? []
  const counts = TIME_LANGUAGES.map((one) => said.filter((word) => TELLING[one].has(word)).length)
  if (/[¿¡ñ]/.test(message)) counts[3] = (counts[3] ?? 0) + 2
  // Accents decide between languages whose words are there as well.
  if (/[áíóú]/i.test(message) && counts[3]) counts[3]++
  if (/[àâçèêëîïôùûœ]/i.test(message) && counts[2]) counts[2]++
  if (/[ßäöü]/i.test(message)) counts[0] = (counts[0] ?? 0) - 1
  const most = Math.max(...counts)
  const best = TIME_LANGUAGES.filter((_, i) => counts[i] === most)
  return most > 0 && !best.includes(usual) ? (best[0] ?? usual) : usual
}
