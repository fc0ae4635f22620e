/** Reads a question: its words, the kind of answer that it asks for, and how it follows the ones before. */
import { fold } from '../../search/fold'
import type { Latin } from '../../search/languages'
import type { ChatMessage } from '../request'
import { splitSentences } from './sentences'
import { isCommon, splitWords, stem, tellLanguage, tellSpoken } from './words'

/** A word of the question. */
export interface QuestionTerm {
  /** As written, for the search. */
  readonly text: string
  /** Whether it may be anywhere in a run of letters, in scripts without spaces. */
  readonly inside: boolean
  /** 1 for words of the question, less for words of the sentences around it, and of earlier turns. */
  readonly weight: number
  /** Whether it names the kind of answer ("year", "phone", "cost"): sentences with such an answer need not repeat it. */
  readonly namesKind: boolean
  /** Whether it has a capital inside a sentence, as names have; unknown, so false, where all nouns or words have one. */
  readonly isName: boolean
  /** Whether it is of the last message. */
  readonly isOwn: boolean
  /** Whether it is the wanted thing: "how many bedrooms", "what is the password of …". */
  readonly isAsked?: boolean
  /** Whether the question before has it as well. */
  readonly isEarlier?: boolean
}

export interface ChatQuestion {
  readonly terms: readonly QuestionTerm[]
  readonly wanted: AnswerKind | null
  /** Whether it goes on from the turn before. */
  readonly follows: boolean
  /** Whether its sentence is whole, and points back at nothing. */
  readonly isWhole: boolean
  /** Whether it asks for the same kind of answer as the one before. */
  readonly isSameKind: boolean
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

/** A kind of answer: what asks for it (folded), the words that name it (folded), and what a text holds that has one. */
interface Kind {
  readonly asks: RegExp
  readonly names: RegExp
  readonly holds: RegExp
}

const NUMBER =
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|ein(?:e|er|em|en)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|une?|deux|trois|quatre|cinq|sept|huit|neuf|dix|un[ao]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez'
const MONTH =
  'jan(?:uary|uar|vier)?|feb(?:ruary|ruar|rero)?|février|mar(?:ch|s|zo)?|märz|apr(?:il)?|avril|abril|may|mai|mayo|june?|juin|juni|junio|july?|juli|juillet|julio|aug(?:ust)?|août|agosto|sept?(?:ember|embre|iembre)?|o[ck]t(?:ober|obre|ubre)?|nov(?:ember|embre|iembre)?|de[cz](?:ember|iembre)?|décembre|enero|jänner'
const DAY =
  '(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?'
const CLOCK =
  "\\b\\d{1,2}[:.]\\d{2}\\b|\\b\\d{1,2} ?(?:am|pm|a\\.m|p\\.m|o'clock|uhr|h(?: ?\\d\\d)?)\\b|\\bnoon\\b|\\bmidnight\\b|\\bmittags?\\b|\\bmidi\\b|\\bmediodía\\b|\\bat (?:six|seven|eight|nine|ten|eleven|twelve|half|quarter)\\b|\\b(?:until|till|from|at|by|before|after|um|ab|bis|vor|à|a las) \\d{1,2}\\b"
const kind = (asks: RegExp, names: string, holds: string, flags = 'iu'): Kind => ({
  ...{ asks, names: new RegExp(`^(?:${names})$`), holds: new RegExp(holds, flags) },
})

/** The first whose pattern a question has is meant: narrow ones come first. */
const KINDS = {
  phone: kind(
    /\b(?:phone|telephone|mobile|cell)\b|\bnumber\b.*\bcall\b|\b(?:his|her|their) number\b|^number of\b|telefon|handynummer|\btelephone\b/,
    'phone|telephone|mobile|cell|number|call|reach|telefon|telefonnummer|nummer|numero|telefono',
    '(?:\\+|\\b)\\d(?:[ ()./-]?\\d){6,}',
  ),
  email: kind(
    /\be-?mail\b|\bcorreo\b/,
    'e|mail|email|address|adresse|correo',
    '[^\\s@]@[\\p{L}\\d-]{1,63}\\.[\\p{L}\\d]',
  ),
  link: kind(
    /\b(?:website|url|web ?page|link)\b/,
    'website|url|web|page|webpage|link|address',
    '\\bhttps?://|\\bwww\\.|\\b[a-z\\d-]{1,63}\\.(?:com|org|net|io|dev|eu|de|uk|fr|es|at|example)\\b',
  ),
  money: kind(
    /^(?:(?:and|und|et|y) )?(?:how much|wie ?viel|combien|cuanto)(?: (?:is|was|does|did|are|were|do) (?:it|that|they|he|she)(?: cost)?)?\W*$|\bhow (?:much|expensive)\b.*\b(?:cost|costs|pay|paid|price|worth|spend|spent|charge|charged|rent|fee|owe|earn)\b|\b(?:price|cost|fee|salary|budget|rent|deposit) (?:of|for)\b|\bwhat\b.*\b(?:costs?|price|fee|charge)\b|\bkoste[tn]?\b|\bpreis\b|wie viel geld|\bmiete\b|\bcoute|\bprix\b|\bcuesta|\bprecio\b/,
    'much|cost|costs|pay|paid|price|expensive|worth|spend|spent|charge|charged|fee|money|kostet|kosten|preis|geld|coute|coutent|prix|cuesta|cuestan|precio',
    '[$€£¥₹]\\s?\\d|\\d\\s?[$€£¥₹]|\\b\\d[\\d.,]*\\s?(?:usd|eur|gbp|chf|dollars?|euros?|pounds?|francs?|franken|cents?|million|billion)\\b|\\b(?:usd|eur|gbp|chf)\\s?\\d|\\bfree\\b',
  ),
  age: kind(
    /\bhow old\b|\bwie alt\b|\bquel age\b|\bcuantos anos tiene\b/,
    'old|alt|age|anos',
    `\\b\\d{1,3}[ -](?:years?|jahre?|ans|años)\\b|\\bborn\\b|\\bturn(?:s|ed)? \\d|\\bageb?\\.? ?\\d|\\bgeboren\\b|\\bbirthday\\b|\\bné`,
  ),
  length: kind(
    /\bhow (?:tall|high|deep|wide|far|big|large|thick|broad)\b|\bwie (?:gross|hoch|tief|breit|weit|dick)\b|\b(?:height|width|depth|distance|size)\b/,
    'tall|high|deep|wide|far|big|large|thick|broad|height|width|depth|distance|size|gross|hoch|tief|breit|weit|dick|cut|kilometres|kilometers|metres|miles',
    `\\d\\s?(?:mm|cm|dm|m|km|m²|m2|ha|ft)\\b|\\b(?:\\d[\\d.,]*|${NUMBER})[ -](?:square|metres?|meters?|mètres?|metros?|kilomet\\p{L}*|inch(?:es)?|feet|foot|miles?|hectares?|acres?|storeys?|stories)\\b|\\d ?[x×] ?\\d|\\bsize \\d`,
  ),
  weight: kind(
    /\bhow heavy\b|\bweigh(?:s|t)?\b|\bwie schwer\b|\bwiegt\b|\bpese\b|\bpesa\b/,
    'heavy|weigh|weighs|weight|schwer|wiegt|pese|pesa',
    '\\d\\s?(?:g|kg|mg|t|lbs?|oz|pounds?|grams?|grammes?|gramos?|kilos?|kilogra\\p{L}*|tons?|tonnes?|ounces?)\\b',
  ),
  temperature: kind(
    /\bhow (?:hot|cold|warm)\b|\btemperature?\b|\bwie (?:heiss|kalt|warm)\b|\btemperatur\b/,
    'hot|cold|warm|temperature|heiss|kalt|temperatur',
    '°|\\d\\s?(?:degrees?|grad|degrés?|grados?)\\b|\\bdegrees\\b',
  ),
  duration: kind(
    /\bhow long\b(?! ago)|\bwie lange?\b|\bcombien de temps\b|\bcuanto (?:tiempo|dura|tarda)\b|\bhow many (?:minutes|hours|days|weeks|months|years)\b/,
    'long|lange|lang|temps|tiempo|take|takes|last|lasts|dura|tarda|dauert|dure',
    `\\b(?:\\d[\\d.,]*|${NUMBER}|several|few|whole)(?:[ -]| and a half )(?:seconds?|minutes?|mins?|hours?|days?|weeks?|months?|years?|nights?|decades?|centur\\p{L}+|sekunden?|minuten?|stunden?|tagen?|wochen?|monaten?|jahren?|heures?|jours?|semaines?|mois|ans|minutos?|horas?|días?|semanas?|meses|años)\\b|\\b(?:until|till|from|since|bis|seit|jusqu|hasta)\\b`,
  ),
  clock: kind(
    /\b(?:what|which) (?:time|hour)\b|\bwie viel uhr\b|\bquelle heure\b|\bque hora\b/,
    'time|hour|uhr|heure|hora',
    CLOCK,
  ),
  time: kind(
    /\bwhen\b|\b(?:what|which) (?:\w+ )?(?:year|date|day|month|week|century|decade|season)\b|\bhow long ago\b|\buntil what\b|\bdeadline\b|\bbirthday\b|\bwann\b|\bwelche[mnrs]? (?:jahr|tag|datum|monat|woche)\b|\bquand\b|\bquel jour\b|\bcuando\b|\bque (?:dia|fecha)\b/,
    'year|date|day|month|week|time|century|decade|hour|season|deadline|jahr|tag|datum|jour|dia|fecha|supposed|toca',
    `\\b(?:1\\d{3}|20\\d{2})s?\\b|${CLOCK}|\\b(?:${MONTH})\\b|\\b(?:${DAY})\\b|\\b\\d{1,2}(?:st|nd|rd|th)\\b|\\b(?:century|centuries|decade|today|tomorrow|yesterday|morning|evening|night|summer|winter|spring|autumn|weekends?|daily|weekly|monthly|yearly|heute|morgen|jahrhundert|siècle|siglo)\\b|\\bweek (?:\\d|one|two|six)`,
  ),
  reason: kind(
    /\bwhy\b|\bwhat (?:is|was) the (?:reason|cause)\b|\bwarum\b|\bwieso\b|\bpourquoi\b|\bpor que\b/,
    'reason|cause',
    '\\b(?:because|since|due to|so that|in order to|owing to|therefore|reason|caused?|thanks to|result(?:s|ed)? (?:of|from|in)|as it|otherwise|to avoid|to prevent|weil|damit|wegen|parce|car|porque)\\b',
  ),
  amount: kind(
    /\bhow (?:many|much|long|often|fast)\b|\bwhat (?:\w+ )?(?:number|percent|percentage|amount|age|length)\b|\bwie (?:viele?|oft|schnell)\b|\bcombien\b|\bcuant[oa]s?\b/,
    'many|much|often|fast|number|percent|percentage|amount|age|length|viel|viele|oft|combien|cuanto|cuantos|cuanta|cuantas',
    `\\d|\\b(?:${NUMBER}|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|dozen|hundred|thousand|million|billion|third|quarter|once|twice|double|percent)\\b`,
  ),
  person: kind(
    /\bwho(?:m|se)?\b|\bwhat (?:person|is the name of the (?:person|man|woman))\b|^w(?:er|en|em)\b|\bqui\b|\bquien(?:es)?\b/,
    'person|name',
    '(?<![.!?"“] |^)\\b\\p{Lu}\\p{Ll}+ (?:(?:of|the|de|van|von|al-)\\s?)*\\p{Lu}|\\b(?:Dr|Mr|Mrs|Ms|Prof|King|Queen|Sir|Lord|President|Emperor|Duke|Pope|Saint|St)\\b|\\b(?:mother|father|brother|sister|aunt|uncle|wife|husband|neighbou?r|plumber|electrician|doctor|dentist)\\b|(?<=\\s)\\p{Lu}\\p{Ll}+',
    'u',
  ),
  place: kind(
    /\bwhere\b|\b(?:what|which) (?:\w+ )?(?:city|country|town|place|state|street|room|region|county|location)\b|^wo(?:hin|her)?\b|^(?:d'|par )?ou (?:est|sont|se|est-ce|puis|peut|on|il|elle|je|tu|va|vas|habite)\b|^ou\??$|\bdonde\b/,
    'place|located|location|stored|kept|keep|put|liegt|liegen|trouve|queda',
    '\\b(?:in|at|near|from|to|under|behind|above|below|inside|beside|on|next to|between|across)\\s+(?:the\\s|a\\s|an\\s|my\\s|our\\s)?(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:January|February|March|April|May|June|July|August|September|October|November|December)\\b|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|night|midnight|morning|afternoon|evening|first|least|most|all)\\b|\\d)\\p{L}|\\b(?:im|am|beim|hinter|unter|neben|dans|chez|sous|derrière|en|bajo|detrás)\\s+\\p{L}',
    'u',
  ),
} as const satisfies Readonly<Record<string, Kind>>

export type AnswerKind = keyof typeof KINDS
const KIND_LIST = Object.entries(KINDS) as [AnswerKind, Kind][]

/** Whether a sentence holds an answer of the wanted kind. The patterns are wide, so they are never the only reason to quote. */
export const holdsAnswer = (sentence: string, wanted: AnswerKind): boolean => KINDS[wanted].holds.test(sentence)
/** Whether a sentence without an answer of this kind can hardly be one. */
export const isNarrowKind = (wanted: AnswerKind): boolean => NARROW.has(wanted)
const NARROW: ReadonlySet<AnswerKind> = new Set([
  'phone',
  'email',
  'link',
  'money',
  'age',
  'length',
  'weight',
  'temperature',
  'duration',
  'clock',
])

/** The wanted thing, behind the words of a question; folded. */
const ASKED_THING =
  /\b(?:how many|what(?:'s| is| are| was| were) (?:the|our|my|his|her|their)|wie viele|was (?:ist|sind|war) (?:der|die|das)|combien de|que(?:l|lle)s? (?:est|sont) (?:le|la|les)|cuant[oa]s|cual(?:es)? (?:es|son) (?:el|la|los|las)) (\p{L}+)/u

/** Reads the terms of a message, at most MAX_TERMS, and the kind of answer that it asks for. Never throws. */
export function readQuestion(message: string): ChatQuestion {
  const text = message.slice(-MAX_READ_UNITS)
  const sentences = splitSentences(text, { start: 0, end: text.length, whole: false, context: '' })
  const texts = sentences.map(({ start, end }) => text.slice(start, end))
  const questions = texts.filter((sentence) => /[?？؟]["'”’)\]]*$/.test(sentence))
  const asides = questions.length > 0 ? texts.filter((sentence) => !questions.includes(sentence)) : []
  const question = questions.length > 0 ? questions.join(' ') : text
  const folded = fold(question).replace(/[¿¡]/g, '').trim()
  const found = KIND_LIST.find(([, { asks }]) => asks.test(folded))
  const [, thing] = ASKED_THING.exec(folded) ?? []
  const asked = readTerms(question, 1, found?.[1].names)
  const named = thing === undefined ? undefined : asked.find((term) => !term.namesKind && fold(term.text) === thing)
  const terms = [
    ...asked.map((term) => (term === named ? { ...term, isAsked: true } : term)),
    ...readTerms(asides.join(' '), ASIDE_WEIGHT, undefined),
  ]
  return {
    terms: keepFirst(terms).slice(0, MAX_TERMS),
    wanted: found?.[0] ?? null,
    follows: false,
    isWhole: true,
    isSameKind: false,
  }
}

/** Verbs that a question has and its answer has not, folded: "how much flour goes into it?". */
const LIGHT =
  /^(?:go|goes|going|went|come|comes|coming|take|takes|took|get|gets|got|need|needs|use|make|makes|want|wants|mean|means|happen|happens|like|supposed|veut|dire|signifie|significa|significan|bedeutet|heisst|dauert|mettre|faire|faut|lleva)$/

/** Tells the language of a question, which may have few common words; null if it may be another than English. */
function tellQuestionLanguage(text: string): Latin | null {
  const language = tellLanguage(text)
  return language === 'en' && tellSpoken(text, 'en') !== 'en' ? null : language
}

function readTerms(text: string, weight: number, kinds: RegExp | undefined): QuestionTerm[] {
  const words = splitWords(text).map((word, i) => ({ ...word, first: i === 0 }))
  const language = tellQuestionLanguage(text)
  // In German, and in headlines, common words have a capital, too. One is no headline: "in May", "ask Will".
  const raised = words.filter(({ text, first }) => !first && /^\p{Lu}\p{Ll}/u.test(text) && isCommon(text, 'en'))
  const named = language !== null && language !== 'de' && raised.length < 2
  const telling = words.filter((word) => !isCommon(word.text, language))
  // "Who are you?" has only common words: use them rather than none.
  return (telling.length > 0 || weight < 1 ? telling : words).map(({ text: word, inside, first }) => {
    const sought = inside ? Array.from(word).slice(0, MAX_INSIDE_CHARS).join('') : word
    return {
      ...{ text: sought, inside, weight, isOwn: true },
      namesKind: (kinds?.test(fold(sought)) ?? false) || LIGHT.test(fold(sought)),
      isName: named && !first && /^\p{Lu}/u.test(word),
    }
  })
}

/** Returns the form of a term that is compared with texts. @param language that of words in Latin letters */
export const keyOf = ({ text, inside }: Pick<QuestionTerm, 'text' | 'inside'>, language: Latin): string =>
  inside ? fold(text) : stem(text, language)

function keepFirst(terms: readonly QuestionTerm[]): QuestionTerm[] {
  const byKey = new Map<string, QuestionTerm>()
  for (const term of terms) {
    const key = keyOf(term, 'en')
    if (!byKey.has(key)) byKey.set(key, term)
  }
  return [...byKey.values()]
}

/** Content words up to which a message is asked together with the one before. */
const SHORT_WORDS = 3
/** Words that begin what goes on from the turn before, and words that point back at it. */
const GOES_ON =
  /^(?:no[,.]? )?(?:and|but|or|what about|how about|also|then|i meant?|und|aber|oder|was ist mit|und was|ich meinte?|et|mais|ou|pour|y|pero|qu[eé] hay de|quer[ií]a decir)(?!\p{L})[\s,:]*/iu
export const POINTS_BACK =
  /(?<![\p{L}'])(?:it|its|he|him|his|she|her|hers|they|them|their|there|that one|er|ihr|ihre[nrm]?|ihm|ihn|seine?|dort|davon|dafür|dazu|il|elle|ils|elles|lui|leurs?|él|ella|ellos|sus?|allí|ahí)(?![\p{L}'])/iu
/** The beginning of a question that is whole in itself. */
const ASKS =
  /^(?:who|what|when|where|why|how|which|whose|is|are|was|were|do|does|did|can|could|has|have|wer|was|wann|wo|warum|wie|welche[rsnm]?|ist|sind|hat|qui|que|quand|où|pourquoi|comment|quel(?:le)?s?|combien|est|qui[eé]n|qu[eé]|cu[aá]ndo|d[oó]nde|por qu[eé]|c[oó]mo|cu[aá]l|cu[aá]nt[oa]s?)\s+\S+\s+\S/iu
/** The weights of words of the turn before: beside a message without a word of its own, in what goes on, and beside a question that is whole. */
const EARLIER = { alone: 1, goesOn: 0.6, whole: 0.3 }
/** The weights of the words of the sentence quoted before, and of its names where a message points back at somebody. */
const QUOTED = { word: 0.15, name: 0.6 }

const NO_NAME = new RegExp(`^(?:${MONTH}|${DAY})$`, 'i')

/** A message of the user, with the answer after it. */
export interface Turn {
  readonly text: string
  readonly answer: string
}

/** Lists the turns of a conversation, the last message last. */
export function listTurns(messages: readonly ChatMessage[]): Turn[] {
  const turns: { text: string; answer: string }[] = []
  for (const { role, content } of messages) {
    const last = turns.at(-1)
    if (role === 'user') turns.push({ text: content, answer: '' })
    else if (role === 'assistant' && last) last.answer = content
  }
  return turns
}

/** The lines of an answer that quote: `From "House": "…" [1]`, in all languages; with the title and the quotation. */
export const QUOTE_LINE =
  /^(?:From|Aus|De|Card|Karte|Carte|Tarjeta)[^"]*"(?<title>.*?)"(?:, [^"]*".*?")?: "(?<quote>.*)" \[\d+\]$/

/** Reads the question of the last message, with the words of earlier turns that it leaves out. */
export function readAsked(turns: readonly Turn[]): ChatQuestion {
  const [last, ...earlier] = turns.toReversed()
  const own = readQuestion(last?.text ?? '')
  const [before] = earlier
  if (!before) return own
  const text = (last?.text ?? '').trim().replace(/^[¿¡]/, '')
  const rest = text.replace(GOES_ON, '')
  const isBare = !own.terms.some(({ text: word, namesKind }) => !namesKind && !isCommon(word, null))
  const content = isBare ? own.terms.filter(({ namesKind }) => namesKind) : own.terms
  const points = POINTS_BACK.test(text)
  if (content.length > SHORT_WORDS && !points && rest === text) return own
  const weight = isBare ? EARLIER.alone : rest !== text || points || !ASKS.test(text) ? EARLIER.goesOn : EARLIER.whole
  const asked = readAsked(turns.slice(0, -1))
  const quote = listQuotes(before.answer)[0]?.[1] ?? ''
  const keys = new Set(asked.terms.map((term) => keyOf(term, 'en')))
  const mine = content.map((term) => ({ ...term, isOwn: true, isEarlier: keys.has(keyOf(term, 'en')) }))
  const theirs = asked.terms.map((term) => ({ ...term, weight: term.weight * weight, isOwn: false }))
  const isName = (text: string) => /^\p{Lu}\p{Ll}/u.test(text) && !isCommon(text, null) && !NO_NAME.test(text)
  const quoted = readTerms(quote, QUOTED.word, undefined).map((term) => ({
    ...{ ...term, isOwn: points && isName(term.text), isName: false },
    weight: isName(term.text) && (points || isBare) ? QUOTED.name : QUOTED.word * weight,
  }))
  // Of several names that "her" may mean, that of the question before is meant.
  const asker = quoted.filter(({ isOwn, text }) => isOwn && theirs.some((term) => fold(term.text) === fold(text)))
  const meant = asker.length > 0 ? quoted.map((term) => ({ ...term, isOwn: asker.includes(term) })) : quoted
  return {
    terms: keepFirst([...mine, ...meant.filter(({ isOwn }) => isOwn), ...theirs, ...meant]).slice(0, MAX_TERMS),
    wanted: own.wanted ?? (isBare || rest !== text ? asked.wanted : null),
    isSameKind:
      asked.wanted !== null && (own.wanted ?? asked.wanted) === asked.wanted && (!isBare || own.wanted === null),
    follows: true,
    isWhole: ASKS.test(rest) && !points,
  }
}

/** Lists what an answer quotes: titles, each with its quotation. */
export const listQuotes = (answer: string): [title: string, quote: string][] =>
  answer.split('\n').flatMap((line): [string, string][] => {
    const { title, quote } = QUOTE_LINE.exec(line)?.groups ?? {}
    return title === undefined || quote === undefined ? [] : [[title, quote]]
  })
