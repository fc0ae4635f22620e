/**
 * What the earlier turns of a conversation tell about the last message. They are the client's own text, and nothing of
 * them is stored: an answer is read as it was sent back, so it decides what is meant, and never what may be done.
 */
import type { ChatMessage } from '../request'
import type { Intent, NamedItem } from './grammar/intent'
import { keyOf, type NoteQuestion, type QuestionTerm, readQuestion } from './question'

/** Turns that are read, from the last one back: what was meant earlier hardly ever counts. */
const MAX_TURNS = 6

/** A message of the user, with the answer before it. */
interface Turn {
  readonly text: string
  /** The answer before it; '' for none. */
  readonly answer: string
}

/** Lists the turns of a conversation, the last message last. */
function listTurns(messages: readonly ChatMessage[]): Turn[] {
  const turns: Turn[] = []
  let answer = ''
  for (const { role, content } of messages) {
    if (role === 'user') turns.push({ text: content, answer })
    // Messages of the user in a row are one turn after the same answer.
    if (role !== 'system') answer = role === 'assistant' ? content : answer
  }
  return turns.slice(-MAX_TURNS)
}

/** What the answer before the last message was about. */
export interface Mentioned {
  /** The message that it answered; '' for none. */
  readonly asked: string
  /** The answer itself; '' for none. */
  readonly answer: string
  /** The titles that it cites, in their order. */
  readonly titles: readonly string[]
  /** The titles of its numbered list. */
  readonly listed: readonly string[]
}

const CITED_TITLE = /^From "(.+?)"(?:, under ".*?")?:/gm
const LISTED_TITLE = /^\d{1,2}\. "([^"]+)"/gm
/** The beginning of an answer that tells what was done. */
const DONE_TITLE =
  /^(?:Created|Added to|Changed|Completed|Reopened|Renamed|Moved|Restored|Replaced text of) the (?:note|task) "([^"]+)"/

/** Reads what the answer before the last message was about. */
export function readMentioned(messages: readonly ChatMessage[]): Mentioned {
  const turns = listTurns(messages)
  const answer = turns.at(-1)?.answer ?? ''
  const listTitles = (pattern: RegExp) => [...new Set(Array.from(answer.matchAll(pattern), ([, title]) => title ?? ''))]
  const done = DONE_TITLE.exec(answer)?.[1]
  return {
    asked: turns.at(-2)?.text ?? '',
    answer,
    titles: [...(done === undefined ? [] : [done]), ...listTitles(CITED_TITLE)],
    listed: listTitles(LISTED_TITLE),
  }
}

const POINTER = /^(?:the )?(?:it|this|that|them|this one|that one|the one|(?:this|that|the same) (?:note|task|item))$/i
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth']
const ORDINAL = new RegExp(
  `^(?:the )?(?:(?<word>${ORDINALS.join('|')}|last)|(?:number|no\\.?|#) ?(?<digits>\\d{1,2})|(?<bare>\\d{1,2}))(?: (?:one|note|task|item))?$`,
  'i',
)

/** Returns the title that words such as "it" or "the second one" stand for; null if they stand for none. */
function resolvePointer(words: string, { titles, listed }: Mentioned): string | null {
  if (POINTER.test(words)) return titles[0] ?? (listed.length === 1 ? (listed[0] ?? null) : null)
  const { word, digits, bare } = ORDINAL.exec(words)?.groups ?? {}
  if (word === undefined && digits === undefined && bare === undefined) return null
  const list = listed.length > 0 ? listed : titles
  if (word?.toLowerCase() === 'last') return list.at(-1) ?? null
  const place = word === undefined ? Number(digits ?? bare) - 1 : ORDINALS.indexOf(word.toLowerCase())
  return list[place] ?? null
}

/** Returns the intent with the titles that its names stand for: "summarize it", "delete the second one". */
export function resolveIntent(intent: Intent, mentioned: Mentioned): Intent {
  const resolve = (named: NamedItem): NamedItem => {
    const title = named.quoted ? null : resolvePointer(named.words, mentioned)
    return title === null ? named : { words: title, quoted: true }
  }
  if ('note' in intent) return { ...intent, note: resolve(intent.note) }
  if ('task' in intent) return { ...intent, task: resolve(intent.task) }
  return 'named' in intent ? { ...intent, named: resolve(intent.named) } : intent
}

const SEVERAL_FIT = /^Several (?:note|task)s fit "([^"]+)"/

/**
 * Returns the message that is meant: a choice from a list ("the second one") is the command before it with that title.
 */
export function resolveChoice(message: string, mentioned: Mentioned): string {
  const named = SEVERAL_FIT.exec(mentioned.answer)?.[1]
  const chosen = resolvePointer(message.trim().replace(/[.!]$/, ''), { ...mentioned })
  const at = named === undefined ? -1 : mentioned.asked.toLowerCase().lastIndexOf(named.toLowerCase())
  if (named === undefined || chosen === null || at < 0) return message
  return `${mentioned.asked.slice(0, at)}"${chosen}"${mentioned.asked.slice(at + named.length)}`
}

/** How the last message follows the ones before it. */
type Follows = 'no' | 'points back' | 'continues'

/** A question as the conversation makes it. */
export interface ConversationQuestion extends NoteQuestion {
  readonly follows: Follows
}

const CONTINUES =
  /^(?:and|what about|how about|what of|und|und was ist mit|was ist mit|wie ist es mit|y|¿y|et|а|и)\b[\s,:]*|^(?:ok(?:ay)?[, ]+)?and\b[\s,:]*/iu
const CORRECTS =
  /^(?:(?:no|nope|nein|sorry|oh|wait|actually|non|doch)[\s,.!-]+)*(?:i (?:meant|mean|was (?:asking|talking) about|wanted to know about)|ich (?:meine|meinte)|quise decir|me refer[ií]a a)\b[\s,:]*(?:not .+?, (?:but )?)?(?:the one (?:of|for|about) )?|^(?:no|nope|nein|sorry|actually)[\s,.!-]+(?=\S)/iu
const NOT_BUT = /^(?:no[, ]+)?not (?<not>.+?), (?:but )?(?:rather )?(?<but>.+)$/i
/** The beginning of a question that is whole in itself. */
const ASKS =
  /^(?:who|what|when|where|why|how|which|wer|was|wann|wo|warum|wie|welche[rs]?|is|are|was|were|do|does|did|has|have|can) /i
/** Words that point at what was said before. */
const POINTS_BACK =
  /\b(?:it|its|he|him|his|she|her|hers|they|them|their|there|then|that|this|those|these|that one|er|sie|ihn|ihm|ihr|ihre|sein|seine|dort|da|davon|dafür)\b/iu

/** The weight of the words of the turn before: in a question that points back, and behind a fragment; less for each further. */
const EARLIER_WEIGHT = { 'points back': 0.5, continues: 0.9 }

/** Reads the question of the last message, with the words of earlier ones that it leaves out. */
export function readConversation(messages: readonly ChatMessage[]): ConversationQuestion {
  const turns = listTurns(messages)
  let question: ConversationQuestion = { terms: [], wanted: null, follows: 'no' }
  for (const [i, turn] of turns.entries()) question = followQuestion(i === 0 ? null : question, turn)
  return question
}

/** Reads a turn after the question before it; null for the first turn. */
function followQuestion(before: NoteQuestion | null, { text, answer }: Turn): ConversationQuestion {
  const message = text.trim()
  if (!before || before.terms.length === 0) return { ...readQuestion(text), follows: 'no' }
  const { not, but } = NOT_BUT.exec(message)?.groups ?? {}
  if (not !== undefined && but !== undefined) return replaceSubject(readOwn(but), before, not)
  const rest = message
    .replace(CORRECTS, '')
    .replace(CONTINUES, '')
    .replace(/^(?:that|those|the ones?) (?=of|for|in)/i, '')
  const own = readOwn(rest)
  const isWhole = POINTS_BACK.test(rest) || (ASKS.test(rest) && own.terms.length > 0)
  if (rest !== message && !isWhole) return replaceSubject(own, before, readFirstTitle(answer))
  if (rest === message && !POINTS_BACK.test(text)) return { ...readQuestion(text), follows: 'no' }
  const named = PERSON.test(text) ? listNames(answer) : []
  return join(readQuestion(rest), { ...before, terms: [...named, ...before.terms] }, 'points back')
}

/** Puts a fragment in the place of the subject that was asked about before. @param old words of that subject */
function replaceSubject(own: NoteQuestion, before: NoteQuestion, old: string): ConversationQuestion {
  if (own.terms.length === 0) return join(own, before, 'continues')
  const dropped = new Set(readOwn(old).terms.map((term) => keyOf(term, 'en')))
  const kept = before.terms.filter((term) => !dropped.has(keyOf(term, 'en')))
  const terms = own.terms.map((term) => ({ ...term, isSubject: true }))
  return join({ ...own, terms }, { ...before, terms: kept }, 'continues')
}

/** Words that point at a person. */
const PERSON = /\b(?:he|him|his|she|her|hers|they|them|their|er|sie|ihm|ihr|ihre|sein|seine)\b/iu

/** Returns the line of an answer that quotes first; '' for none. */
export const readFirstQuote = (answer: string): string =>
  answer.split('\n').find((line) => line.startsWith('From ')) ?? ''

/** Returns the title of the note that an answer quotes first; '' for none. */
const readFirstTitle = (answer: string): string =>
  /^From "(.+?)"(?:, under "|:)/.exec(readFirstQuote(answer))?.[1] ?? ''

/** Lists the names that the first quotation of an answer holds, as terms of a question. */
function listNames(answer: string): QuestionTerm[] {
  const quote = /: "(.*)" \[\d+\]$/.exec(readFirstQuote(answer))?.[1] ?? ''
  return readQuestion(quote)
    .terms.filter(({ isName }) => isName)
    .map((term) => ({ ...term, isName: false }))
}

/** Reads a fragment such as "Paul's" or "and where?"; its first word is a name if it has a capital. */
function readOwn(fragment: string): NoteQuestion {
  // A word before it shows that a capital is not that of a sentence's beginning.
  const { terms, wanted } = readQuestion(`the ${fragment.trim()}`)
  return { wanted, terms: /^\P{L}*(?:who|what|when|where|why|how)\P{L}*$/iu.test(fragment) ? [] : terms }
}

/** Joins a message with the question that it goes on from. */
function join(own: NoteQuestion, before: NoteQuestion, follows: keyof typeof EARLIER_WEIGHT): ConversationQuestion {
  const known = new Set(own.terms.map((term) => keyOf(term, 'en')))
  const weight = own.terms.length === 0 ? 1 : EARLIER_WEIGHT[follows]
  const kept = before.terms
    .filter((term) => !known.has(keyOf(term, 'en')))
    .map((term): QuestionTerm => ({ ...term, weight: term.weight * weight }))
  return { terms: [...own.terms, ...kept], wanted: own.wanted ?? before.wanted, follows }
}
