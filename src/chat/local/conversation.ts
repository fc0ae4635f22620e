/**
 * What the earlier turns of a conversation tell about the last message. They are the client's own text, and nothing of
 * them is stored: an answer is read as it was sent back, so it decides what is meant, and never what may be done.
 */
import type { ChatMessage } from '../request'
import { keyOf, type NoteQuestion, type QuestionTerm, readQuestion } from './question'
import { joinWords } from './talk-words'

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

/** A note or a task that an answer names. */
export interface MentionedItem {
  readonly type: 'note' | 'task'
  readonly title: string
  /** Whether the answer quotes it, so that the first of several is the likeliest. */
  readonly isQuoted: boolean
}

/** What one answer names: what it quotes or changed, and what it lists, each in its place, also twice. */
interface NamedByAnswer {
  readonly named: readonly MentionedItem[]
  readonly listed: readonly MentionedItem[]
}

/** What the answers before the last message were about. */
export interface Mentioned {
  /** The message that the answer before it answered; '' for none. */
  readonly asked: string
  /** The answer before it; '' for none. */
  readonly answer: string
  /** The titles of the notes that this answer quotes, or changed, in their order. */
  readonly titles: readonly string[]
  /** The answers that are read, the last one first. */
  readonly answers: readonly string[]
  /** What each of these answers names. */
  readonly items: readonly NamedByAnswer[]
}

/** A quotation, or drafts of cards from a note. */
const QUOTED_TITLE = /^(?:From "(.+?)"(?:, under ".*?")?:|Drafts from "(.+?)"; none is stored)/
/** A title can have quotation marks of its own: it ends before what a list writes behind one. */
const LISTED_TITLE = /^(?:-|\d{1,2}\.) "(.+?)"(?=$|, due | \[\d+\]$|: )/
/** A thing that was changed, or waits to be; a quotation within its title names nothing. */
const CHANGED_TITLE = /^[^"]*\bthe (note|task) "((?:[^"]|"[^"\s][^"]*")+?)"(?=[.,:;?]| to the trash| with its |$)/
/** Headings of lists, by what they list. */
const HEADINGS = [
  [
    'task',
    /^(?:Tasks\b|Open tasks|Overdue|Today|This week|Due (?:today|tomorrow|within)|Several tasks|I found no task)/,
  ],
  ['note', /^(?:Notes\b|Latest notes|Several notes|I found no note called)/],
] as const

/** Reads what an answer names, line by line. Changes that it shows as quotations name nothing. */
function readNamed(answer: string): NamedByAnswer {
  const named: MentionedItem[] = []
  const listed: MentionedItem[] = []
  let list: MentionedItem['type'] | null = null
  for (const line of answer.split('\n')) {
    const [, quoted, drafted] = QUOTED_TITLE.exec(line) ?? []
    const title = quoted ?? drafted
    const [, item] = LISTED_TITLE.exec(line) ?? []
    if (title !== undefined) {
      named.push({ type: 'note', title, isQuoted: true })
      list = null
    } else if (item !== undefined) {
      if (list) listed.push({ type: list, title: item, isQuoted: false })
    } else if (!line.startsWith('> ')) {
      list = HEADINGS.find(([, heading]) => heading.test(line))?.[0] ?? null
      const [, type, changed] = CHANGED_TITLE.exec(line) ?? []
      if (changed !== undefined)
        named.push({ type: type === 'note' ? 'note' : 'task', title: changed, isQuoted: false })
    }
  }
  return { named: withoutRepeats(named), listed }
}

/** Leaves out repeats, each of which keeps the place of the first. */
export const withoutRepeats = (items: readonly MentionedItem[]): MentionedItem[] => [
  ...new Map(items.map((item) => [`${item.type} ${item.title}`, item])).values(),
]

/** Reads what the answers before the last message were about. */
export function readMentioned(messages: readonly ChatMessage[]): Mentioned {
  const turns = listTurns(messages)
  const answers = turns.map(({ answer }) => answer).toReversed()
  const items = answers.map(readNamed)
  return {
    asked: turns.at(-2)?.text ?? '',
    answer: answers[0] ?? '',
    titles: (items[0]?.named ?? []).map(({ title }) => title),
    answers: answers.filter((answer) => answer !== ''),
    items,
  }
}

/** How the last message follows the ones before it. */
type Follows = 'no' | 'points back' | 'continues' | 'adds'

/** A question as the conversation makes it. */
export interface ConversationQuestion extends NoteQuestion {
  readonly follows: Follows
}

const NO = `(?:(?:${joinWords(({ no }) => no)})[\\s,.!-]+)`
const CONTINUES = new RegExp(`^(?:${joinWords(({ continues }) => continues)}|а|и)(?!\\p{L})[\\s,:]*`, 'iu')
/** Words of refusal before a correction, at most: some are the same in two languages, so each more doubles the ways to read them. */
const MAX_NOES = 5
const CORRECTS = new RegExp(
  `^${NO}{0,${MAX_NOES}}(?:${joinWords(({ corrects }) => corrects)})(?!\\p{L})[\\s,:]*(?:not .+?, (?:but )?)?(?:the one (?:of|for|about) )?|^${NO}(?=\\S)`,
  'iu',
)
const NOT_BUT =
  /^(?:(?:no|nein|non)[, ]+)?(?:not|nicht|pas|no) (?<not>[^,]+?), (?:(?:but|rather|sondern|mais|sino) )*(?<but>.+)$/iu
/** The beginning of a question that is whole in itself. */
const ASKS = new RegExp(`^(?:${joinWords(({ asks }) => asks)}) `, 'iu')
/** Words that point at what was said before. */
const POINTS_BACK = new RegExp(`(?<!\\p{L})(?:${joinWords(({ pointsBack }) => pointsBack)})(?!\\p{L})`, 'iu')

/**
 * The weight of the words of the turn before: in a question that points back, behind a fragment, and behind an "and" before
 * a question that is whole; less for each further.
 */
const EARLIER_WEIGHT = { 'points back': 0.5, continues: 0.9, adds: 0.2 }

/** Reads the question of the last message, with the words of earlier ones that it leaves out. */
export function readConversation(messages: readonly ChatMessage[]): ConversationQuestion {
  const turns = listTurns(messages)
  let question: ConversationQuestion = { terms: [], wanted: null, follows: 'no' }
  for (const [i, turn] of turns.entries()) {
    question = followQuestion(i === 0 ? null : question, turn)
    // A capital in an order is no name that a note must have: "rename it to Call Ann".
    const isDone = readNamed(turns[i + 1]?.answer ?? '').named.some(({ isQuoted }) => !isQuoted)
    if (isDone) question = { ...question, terms: question.terms.map((term) => ({ ...term, isName: false })) }
  }
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
  if (!POINTS_BACK.test(rest)) return join(readQuestion(rest), before, 'adds')
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
const PERSON = new RegExp(`(?<!\\p{L})(?:${joinWords(({ person }) => person)})(?!\\p{L})`, 'iu')

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
