import { fold } from '../../search/fold'
import { isCommonWord, type Latin } from '../../search/languages'
import { splitSentences } from './sentences'
import { splitWords, stem, tellLanguage } from './words'

/** The kind of answer that a question asks for. */
type AnswerKind = 'time' | 'person' | 'place' | 'amount' | 'money' | 'reason' | 'phone' | 'email' | 'link'

/** A word of the question. */
export interface QuestionTerm {
  /** The word as written, for the index. */
  readonly text: string
  /** `inside`: anywhere, in scripts without spaces; `start`: at the beginning of a longer word. */
  readonly match: 'word' | 'inside' | 'start'
  /** 1 for words of the question, less for words of the sentences around it. */
  readonly weight: number
  /**
   * Whether it names the kind of answer ("year", "phone", "cost"): sentences with such an answer need not repeat it.
   */
  readonly namesKind: boolean
  /** Whether it has a capital inside a sentence, as names have; unknown, so false, where all nouns or words have one. */
  readonly isName: boolean
  /** Whether it is the new subject of a conversation, which a title may name as well as a sentence. */
  readonly isSubject?: boolean
}

/** A question as it is answered from notes. */
export interface NoteQuestion {
  readonly terms: readonly QuestionTerm[]
  readonly wanted: AnswerKind | null
}

/** Words of a question that are searched; more would only make it slower. */
export const MAX_TERMS = 32
/** UTF-16 units of a message that are read, from its end, where the question usually is. */
const MAX_READ_UNITS = 4096
/** The weight of words around the question, where words of the question weigh 1. */
const ASIDE_WEIGHT = 0.3

/**
 * Code points of a word that is searched inside runs; few words are longer. The search reads every place of its parts,
 * so a long run of one repeated character, in a note full of that character, would keep it busy for a minute.
 */
const MAX_INSIDE_CHARS = 8

/** Words that say nothing about the subject of a text. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those some any no not nor and or but if then than so such as of at by for with about into onto
  from to in on off up down out over under between during through within without upon per via
  i me my mine we us our ours you your yours he him his she her hers it its they them their theirs one ones
  am is are was were be been being do does did done doing have has had having will would shall should can could may might must
  who whom whose what which when where why how there here again also too very just only own same other both each few more most
  s t d ll m re ve don doesn didn isn aren wasn weren won wouldn can couldn shouldn hasn haven hadn
  please hello hi hey thanks thank ok okay tell show find know say says said give let remember remind wonder
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

/**
 * Patterns of questions by kind of answer, with the words that name the kind. The first match wins: narrow ones come
 * first.
 */
const ANSWER_KINDS: readonly (readonly [AnswerKind, RegExp, kinds: RegExp])[] = [
  [
    'phone',
    /\b(?:phone|telephone|mobile|cell) ?(?:number)?\b|\bnumber\b.*\bcall\b/,
    /^(?:phone|telephone|mobile|cell|number|call|reach)$/,
  ],
  ['email', /\be-?mail\b/, /^(?:e|mail|email|address)$/],
  ['link', /\b(?:website|url|web ?page|link)\b/, /^(?:website|url|web|page|webpage|link|address)$/],
  [
    'money',
    /\bhow (?:much|expensive)\b.*\b(?:cost|costs|pay|paid|price|worth|spend|spent|charge|charged|rent|fee|owe)\b|\b(?:price|cost|fee|salary|budget|rent) (?:of|for)\b|\bwhat\b.*\b(?:cost|price|fee)\b/,
    /^(?:much|cost|costs|pay|paid|price|expensive|worth|spend|spent|charge|charged|fee)$/,
  ],
  [
    'time',
    /\bwhen\b|\b(?:what|which) (?:\w+ )?(?:year|date|day|month|week|time|century|decade|hour|season)\b|\bhow long ago\b|\bsince when\b/,
    /^(?:year|date|day|month|week|time|century|decade|hour|season)$/,
  ],
  ['person', /\bwho(?:m|se)?\b|\bwhat (?:person|is the name of the (?:person|man|woman))\b/, /^(?:person|name)$/],
  [
    'place',
    /\bwhere\b|\b(?:what|which) (?:\w+ )?(?:city|country|town|place|state|street|room|region|county|location)\b/,
    /^(?:place|located|location|live|lives|stored|kept|keep|put)$/,
  ],
  [
    'amount',
    /\bhow (?:many|much|long|old|far|often|big|high|tall|large|fast|heavy|deep|wide|hot|cold|late|early)\b|\bwhat (?:\w+ )?(?:number|percent|percentage|amount|size|temperature|age|length|height|width|distance|weight)\b/,
    /^(?:many|much|long|old|far|often|big|high|tall|large|fast|heavy|deep|wide|hot|number|percent|percentage|amount|size|temperature|age|length|height|width|distance|weight)$/,
  ],
  ['reason', /\bwhy\b|\bwhat (?:is|was) the (?:reason|cause)\b/, /^(?:reason|cause)$/],
]

/** Reads the terms of a message, at most MAX_TERMS, and the kind of answer that it asks for. Never throws. */
export function readQuestion(message: string): NoteQuestion {
  const text = message.slice(-MAX_READ_UNITS)
  const sentences = splitSentences(text, { start: 0, end: text.length, whole: false, context: '' })
  const texts = sentences.map(({ start, end }) => text.slice(start, end))
  const questions = texts.filter((sentence) => /[?？؟]["'”’)\]]*$/.test(sentence))
  const asides = questions.length > 0 ? texts.filter((sentence) => !questions.includes(sentence)) : []
  const question = questions.length > 0 ? questions.join(' ') : text
  const kind = ANSWER_KINDS.find(([, pattern]) => pattern.test(fold(question)))
  const terms = [...readTerms(question, 1, kind?.[2]), ...readTerms(asides.join(' '), ASIDE_WEIGHT, undefined)]
  return { terms: keepFirstOfKey(terms).slice(0, MAX_TERMS), wanted: kind?.[0] ?? null }
}

/** Tells the language of a question, which may have few common words; null if it may be another than English. */
function tellQuestionLanguage(text: string, words: readonly string[]): Latin | null {
  const language = tellLanguage(text)
  const folded = words.map(fold)
  const english = folded.filter((word) => STOP_WORDS.has(word)).length
  const others = folded.filter((word) => isCommonWord(word) && !STOP_WORDS.has(word)).length
  return language === 'en' && others > 0 && others >= english ? null : language
}

/** Whether words with a capital are names: not in German, nor in headlines, where common words have one too. */
function capitalsAreNames(words: readonly string[], language: Latin | null): boolean {
  // One is no headline: "in May", "ask Will".
  const raised = words.filter((word, i) => i > 0 && /^\p{Lu}\p{Ll}/u.test(word) && STOP_WORDS.has(fold(word)))
  return language !== null && language !== 'de' && raised.length < 2
}

function readTerms(text: string, weight: number, kinds: RegExp | undefined): QuestionTerm[] {
  const words = splitWords(text).map((word, i) => ({ ...word, first: i === 0 }))
  const texts = words.map((word) => word.text)
  const language = tellQuestionLanguage(text, texts)
  const named = capitalsAreNames(texts, language)
  const telling = words.filter((word) => !isCommon(word.text, language))
  // "Who are you?" has only common words: use them rather than none.
  return (telling.length > 0 ? telling : words).map(({ text: word, inside, first }) => {
    const sought = inside ? Array.from(word).slice(0, MAX_INSIDE_CHARS).join('') : word
    return {
      text: sought,
      match: inside ? 'inside' : 'word',
      weight,
      namesKind: kinds?.test(fold(sought)) ?? false,
      isName: named && !first && /^\p{Lu}/u.test(word),
    }
  })
}

function isCommon(word: string, language: Latin | null): boolean {
  const folded = fold(word)
  return (
    STOP_WORDS.has(folded) ||
    (language !== 'en' && isCommonWord(folded)) ||
    PARTICLE.test(word) ||
    KOREAN_QUESTION.test(folded)
  )
}

/**
 * Returns the form of a term that is compared with texts: the stem, or the folded word in scripts without spaces.
 * @param language that of words in Latin letters
 */
export function keyOf({ text, match }: Pick<QuestionTerm, 'text' | 'match'>, language: Latin): string {
  return match === 'inside' ? fold(text) : stem(text, language)
}

function keepFirstOfKey(terms: readonly QuestionTerm[]): QuestionTerm[] {
  const byKey = new Map<string, QuestionTerm>()
  for (const term of terms) {
    const key = keyOf(term, 'en')
    if (!byKey.has(key)) byKey.set(key, term)
  }
  return [...byKey.values()]
}

/**
 * Patterns of each kind of answer in English text. They are wide on purpose: a match raises the score of a sentence
 * that shares words with the question, and is never the only reason to quote it.
 */
const ANSWER_PATTERNS: Readonly<Record<AnswerKind, RegExp>> = {
  time: /\b(?:1\d{3}|20\d{2})s?\b|\b\d{1,2}[:.]\d{2}\b|\b\d{1,2} ?(?:am|pm|a\.m|p\.m|o'clock|uhr)\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:century|centuries|decade|today|tomorrow|yesterday|noon|midnight|morning|evening|night|summer|winter|spring|autumn|weekends?|daily|weekly|monthly|yearly)\b/i,
  person:
    /(?<![.!?"“] |^)\b\p{Lu}\p{Ll}+ (?:(?:of|the|de|van|von|al-)\s?)*\p{Lu}|\b(?:Dr|Mr|Mrs|Ms|Prof|King|Queen|Sir|Lord|President|Emperor|Duke|Pope|Saint|St)\b|\b(?:mother|father|brother|sister|aunt|uncle|wife|husband|neighbou?r|plumber|electrician|doctor|dentist)\b|(?<=\s)\p{Lu}\p{Ll}+/u,
  place:
    /\b(?:in|at|near|from|to|under|behind|above|below|inside|beside|on|next to|between|across)\s+(?:the\s|a\s|an\s|my\s|our\s)?(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:January|February|March|April|May|June|July|August|September|October|November|December)\b|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|night|midnight|morning|afternoon|evening|first|least|most|all)\b|\d)\p{L}/u,
  amount:
    /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|dozen|hundred|thousand|million|billion|half|third|quarter|once|twice|double|percent)\b/i,
  money:
    /[$€£¥₹]\s?\d|\d\s?[$€£¥₹]|\b\d[\d.,]*\s?(?:usd|eur|gbp|chf|dollars?|euros?|pounds?|francs?|cents?|million|billion)\b|\b(?:usd|eur|gbp|chf)\s?\d|\bfree\b/i,
  reason:
    /\b(?:because|since|due to|so that|in order to|owing to|therefore|reason|caused?|thanks to|result(?:s|ed)? (?:of|from|in)|as it|otherwise|to avoid|to prevent)\b/i,
  phone: /(?:\+|\b)\d(?:[ ()./-]?\d){5,}/,
  email: /[^\s@]@[\p{L}\d-]{1,63}\.[\p{L}\d]/u,
  link: /\bhttps?:\/\/|\bwww\.|\b[a-z\d-]{1,63}\.(?:com|org|net|io|dev|eu|de|uk|fr)\b/i,
}

/** Whether a sentence holds an answer of the wanted kind. */
export const holdsAnswer = (sentence: string, wanted: AnswerKind): boolean => ANSWER_PATTERNS[wanted].test(sentence)
