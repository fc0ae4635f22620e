import { canCommand } from './command'
import { type CardSides, unquoteName, type WriteIntent } from './intent'

/** Flashcards in a message: "Q: … A: …" once or more, or "flashcards: front / back" line by line. */

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

/** Reads cards to add; null for any other text. */
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
  return cards
}

const withoutMark = (side: string): string => side.trim().replace(/[,;]$/, '')

/** Reads "front / back" lines, or such parts between semicolons; null if one has not exactly two sides. */
function readSlashes(text: string): CardSides[] | null {
  const lines = text.split(/[\r\n;]+/).map((line) => line.trim().replace(/^(?:[-*+•–]|\d{1,2}[.)])\s+/, ''))
  const cards = lines.filter(Boolean).map((line) => line.split(/\s+(?:\/|::)\s+/))
  if (cards.some((sides) => sides.length !== 2 || sides.some((side) => side === '')) || text.trim().endsWith('?'))
    return null
  return cards.map(([front = '', back = '']) => ({ front: unquoteName(front).words, back: unquoteName(back).words }))
}
