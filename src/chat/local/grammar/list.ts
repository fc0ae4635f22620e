import { MAX_WAITING } from '../../../tools/confirmations'
import { readIntent } from './grammar'
import { type CardSides, isWrite, unquoteName, type WriteIntent } from './intent'
import { canCommand, MAX_HEAD_UNITS, readMessage } from './message'
import { compileShapes, matchShape, Sentence } from './shapes'
import { LANGUAGES } from './words'

/** Lists in one message: things to do or to buy, after a colon or line by line, names of what to change, and flashcards. */

/** A bullet, a number or a box before an item. */
export const BULLET = /^\s*(?:(?:[-*+•–]|\d{1,2}[.)])\s+)?(?:\[[ x]?\]\s+)?/

const COUNT = '(?:(?:these|the following|some|a few|new|\\d{1,2}|two|three|four|five|six|seven|eight|nine|ten) )*'
const TASKS_HEAD = new RegExp(
  `^(?:(?:add|create|make|set(?: up)?|put|save|new) ${COUNT}(?:tasks|to-?dos|todos|reminders|chores|errands)(?: (?:to|on) (?:my|the) (?:to-? ?do |task )?list)?|(?:add|put) (?:to|on) my (?:to-? ?do |task )?list|(?:to-? ?do|todo|task) list|to-? ?dos?|todos?|tasks|remind me to)$`,
  'i',
)
/** A list of a kind that people keep beside tasks: its items are tasks with the label of that kind. */
const OTHER_HEAD =
  /^(?:(?:add|put) (?:to|on) (?:my |the )?)?(?:my |the |new )?(?<kind>shopping|grocery|packing) list$|^(?<de>einkauf)s(?:liste|zettel)$|^liste (?:de |des )(?<fr>courses)$|^lista de (?:la )?(?<es>compra)s?$/i

/** New tasks, or a change of several tasks or notes, by their names. */
const NAMES =
  /^(?<verb>add|create|make|new|complete|finish|check off|tick off|reopen|trash|delete|remove) (?:the |my |these |two |three )*(?<noun>tasks|to-dos|todos|reminders|notes):? (?!(?:to|for|on|in|about|that|from|with|of|into|at)\b)(?<names>.+)$/i

/** Reads "complete the tasks "Pay rent" and "Call Ann"": the same change of at least two; null for any other text. */
function readNames(text: string): WriteIntent[] | null {
  const { head, command } = readMessage(text)
  const { verb = '', noun = '', names = '' } = (command && NAMES.exec(head)?.groups) || {}
  const items = splitItems(names).map(unquoteName)
  const isTrash = /^(?:trash|delete|remove)$/i.test(verb)
  const isNote = /^notes$/i.test(noun)
  if (items.length < 2 || (isNote && !isTrash)) return null
  if (/^(?:add|create|make|new)$/i.test(verb)) return items.map(({ words }) => ({ kind: 'add_task', text: words }))
  const kind = /^reopen$/i.test(verb) ? 'reopen_task' : 'complete_task'
  return items.map((named) =>
    isTrash ? { kind: 'trash', type: isNote ? 'note' : 'task', named } : { kind, task: named },
  )
}

const [VERBS, NOUNS] = ['trash/finish/reopen/restore', 'note/task']
// Without an article "and note …" may be a verb, unless a name in quotation marks follows.
const SAME_VERB = compileShapes(
  `please? =${VERBS} <first> and =det =${NOUNS} <name> | please? =${VERBS} <first> and =${NOUNS} <"name">`,
)

/**
 * Reads "delete the note A and the note B", whose verb is said once: the same change of each; null for any other text.
 * @param more things behind the first one that are read, since each costs as much as the whole
 */
function readSameVerb(text: string, more = MAX_WAITING): WriteIntent[] | null {
  if (more === 0) return null
  const { head } = readMessage(text)
  for (const language of LANGUAGES)
    for (const shape of SAME_VERB) {
      const slots = matchShape(shape, new Sentence(head, language))
      if (!slots) continue
      const { [VERBS]: verb = '', [NOUNS]: noun = '', first = '', det = '', name = '' } = slots
      const second = `${verb} ${det} ${noun} ${name}`
      const one = readIntent(`${verb} ${first}`)
      const others = readSameVerb(second, more - 1) ?? [readIntent(second)]
      const all = [one, ...others].filter((intent) => intent !== null).filter(isWrite)
      if (all.length > others.length && all.every(({ kind }) => kind === one?.kind)) return all
    }
  return null
}

/**
 * Reads a list of tasks: "add tasks: a, b and c", "shopping list: milk, eggs", or a line for each. A list of names
 * is read as well. Null for any other text.
 */
export function readList(text: string): WriteIntent[] | null {
  if (!/[\r\n]/.test(text.trim()) && text.length <= MAX_HEAD_UNITS) {
    const changes = readNames(text) ?? readSameVerb(text)
    if (changes) return changes
  }
  const colon = HEADED.test(text) ? text.search(/[\r\n]/) : text.indexOf(':')
  if (colon < 0 || colon > MAX_HEAD_UNITS) return null
  const { head } = readMessage(text.slice(0, colon))
  const kind = Object.values(OTHER_HEAD.exec(head)?.groups ?? {})
    .find(Boolean)
    ?.toLowerCase()
  if (kind === undefined && !TASKS_HEAD.test(head)) return null
  // "remind me to: …" is a list only line by line.
  const rest = text.slice(HEADED.test(text) ? colon : colon + 1)
  const isWritten = /^\s*[\r\n]/.test(rest)
  if (!isWritten && (/^remind/i.test(head) || rest.length > MAX_HEAD_UNITS)) return null
  const items = isWritten ? splitLines(rest) : /[\r\n]/.test(rest.trim()) ? null : splitItems(rest.trim())
  if (!items || items.length === 0 || rest.trim().endsWith('?')) return null
  // A head without a verb, such as "todo: buy milk", can begin any text: only several items make it a list.
  if (items.length === 1 && !/^(?:add|create|make|set|put|save|new|remind) /i.test(head)) return null
  const label = kind === undefined ? '' : ` @${kind === 'grocery' ? 'shopping' : kind}`
  return items.map((item): WriteIntent => ({ kind: 'add_task', text: `${item}${label}` }))
}

/** A line without a mark at its end, and lines with bullets below it. */
const HEADED = /^\s*[^\r\n:.!?]{1,80}(?:\r\n|[\r\n])\s*(?:[-*+•–]|\d{1,2}[.)])\s/

/** Reads lines as items; null if one is a text, or begins another list. */
function splitLines(text: string): string[] | null {
  const lines = text.split(/\r\n|[\r\n]/).map((line) => line.trim())
  const items = lines.map((line) => line.replace(BULLET, '')).filter(Boolean)
  return items.some((item) => item.length > MAX_HEAD_UNITS || /^>|^```|:$/.test(item)) ? null : items
}

/** A time alone, which belongs to the item before it: "call Ann on Friday, 9am". */
const ONLY_TIME =
  /^(?:(?:at|on|by|in|until|every|next|this)\b.*|today|tomorrow|tonight|\d{1,2}(?::\d\d)?(?: ?[ap]m)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|[#@!]\S+)$/i

/** Splits items at semicolons, else at commas and before the last one at "and" in any language; not within quotation marks. */
function splitItems(text: string): string[] {
  const marks = [/;/g, /,/g].find((mark) => outside(text, mark).length > 0)
  const cuts = marks ? outside(text, marks) : []
  const pieces = [0, ...cuts.map((at) => at + 1)].map((from, i) => text.slice(from, cuts[i] ?? text.length))
  const last = pieces.pop() ?? ''
  const words = outside(last, /\s+(?:and|und|et|y)\s+/gi).at(-1)
  const ends =
    marks?.source === ';' || words === undefined
      ? [last]
      : [last.slice(0, words), last.slice(words).replace(/^\s+(?:and|und|et|y)\s+/i, '')]
  const items: string[] = []
  for (const piece of [...pieces, ...ends]) {
    const item = piece.replace(/^\s*(?:and\s+)?/i, '').replace(/[\s.;]+$/, '')
    if (item === '') continue
    const before = items.pop()
    if (before !== undefined && ONLY_TIME.test(item)) items.push(`${before}, ${item}`)
    else items.push(...(before === undefined ? [] : [before]), item)
  }
  return items
}

/** Lists where a pattern begins outside of quotation marks and brackets. */
function outside(text: string, pattern: RegExp): number[] {
  const covered = text.replace(/"[^"]*"|“[^”]*”|\([^)]*\)/g, (quoted) => '_'.repeat(quoted.length))
  return Array.from(covered.matchAll(pattern), ({ index }) => index)
}

const DECK =
  '(?:to|in|into|for) (?:the |my )?(?:deck (?<deck>["“][^"”]+["”]|[^:"“]+?)|(?<deck2>["“][^"”]+["”]|[\\p{L}\\p{N}_-]+) deck)'
const HEAD = new RegExp(
  `^\\s*(?:please )?(?:(?:add|create|make|save|new) )?(?:(?:an?|these|the following|some|new|\\d{1,2}|two|three|four|five) ){0,4}(?:flash ?-?)?cards?(?: ${DECK})? ?:\\s*(?<rest>\\S[\\s\\S]*)$`,
  'iu',
)
const MARK = /\b(q|question|a|answer) ?:/i
/** UTF-16 units of the name of a deck behind the cards, with the words before it. */
const MAX_DECK_UNITS = 200
const AT_END = new RegExp(`[\\s,.]+${DECK}[.]?\\s*$`, 'iu')

/** Reads cards to add: "Q: … A: …" once or more, or "flashcards: front / back" line by line; null for any other text. */
export function readCardList(text: string): WriteIntent | null {
  const found = HEAD.exec(text)
  const { deck, deck2, rest = text } = found?.groups ?? {}
  if (found && !canCommand(text.slice(0, text.length - rest.length).replace(/:\s*$/, ''))) return null
  // Only the end is searched, since the pattern would start at every space.
  const end = AT_END.exec(rest.slice(-MAX_DECK_UNITS))
  const body =
    end && (found || /^\s*q/i.test(rest)) ? rest.slice(0, Math.max(0, rest.length - MAX_DECK_UNITS) + end.index) : rest
  const cards = readPairs(body) ?? (found ? readSlashes(body) : null)
  if (!cards) return null
  const name = deck ?? deck2 ?? end?.groups?.deck ?? end?.groups?.deck2
  return { kind: 'add_cards', cards, deck: name === undefined ? null : unquoteName(name).words }
}

/** Reads "Q: … A: …" pairs that make up the whole text. */
function readPairs(text: string): CardSides[] | null {
  const [before = '', ...parts] = text.split(MARK)
  if (before.trim() !== '' || parts.length === 0 || parts.length % 4 !== 0) return null
  const cards: CardSides[] = []
  for (let i = 0; i < parts.length; i += 4) {
    const [question = '', front = '', answer = '', back = ''] = parts.slice(i, i + 4)
    const sides = { front: withoutMark(front), back: withoutMark(back) }
    if (!/^q/i.test(question) || !/^a/i.test(answer) || sides.front === '' || sides.back === '') return null
    cards.push(sides)
  }
  // A question in a line below the last answer is about the cards.
  return /[\r\n][^\r\n]*\?\s*$/.test(cards.at(-1)?.back ?? '') ? null : cards
}

const withoutMark = (side: string): string => side.trim().replace(/[,;]$/, '')

/** Reads "front / back" lines, or such parts between semicolons; null if one has not exactly two sides. */
function readSlashes(text: string): CardSides[] | null {
  const lines = text.split(/[\r\n;]+/).map((line) => line.trim().replace(BULLET, ''))
  const cards = lines.filter(Boolean).map((line) => line.split(/\s+(?:\/|::)\s+/))
  if (cards.some((sides) => sides.length !== 2 || sides.some((side) => side === '')) || text.trim().endsWith('?'))
    return null
  return cards.map(([front = '', back = '']) => ({ front: unquoteName(front).words, back: unquoteName(back).words }))
}
