/** The passages of a text that get a vector each: short enough for an encoder, with what they are about before them. */
import type { Texts } from '../source'

/** UTF-16 units of a passage, its title and headings included: some 200 tokens, of which small encoders read 256. */
const PASSAGE_UNITS = 900
/** UTF-16 units of the title, and of the headings above a passage, that come before it. */
const TITLE_UNITS = 120
const TRAIL_UNITS = 120
/** Passages of one text; what is behind them is found by its words. */
export const MAX_PASSAGES = 32
/** UTF-16 units of a body that are looked at: more do not fit into so many passages. */
const BODY_UNITS = MAX_PASSAGES * PASSAGE_UNITS

/** At most MOST_PASSAGES; none of a text without a letter or a digit. */
export function splitPassages({ title, tags, body }: Pick<Texts, 'title' | 'tags' | 'body'>): string[] {
  const name = [title.trim(), ...tags].join(' · ').slice(0, TITLE_UNITS)
  const passages: string[] = []
  let held = ''
  let trail = ''
  const put = () => {
    if (held.trim() !== '') passages.push(joinLines(name, trail, held))
    held = ''
  }
  for (const { headings, text } of splitParagraphs(body.slice(0, BODY_UNITS))) {
    const above = headings.join(' › ').slice(0, TRAIL_UNITS)
    if (above !== trail || held.length + text.length > roomOf(name, above)) put()
    trail = above
    for (const piece of splitPieces(text, roomOf(name, above))) {
      if (held.length + piece.length > roomOf(name, above)) put()
      held += `${held === '' ? '' : '\n'}${piece}`
    }
  }
  put()
  if (passages.length === 0) passages.push(joinLines(name, '', ''))
  return passages.filter((passage) => /[\p{L}\p{N}]/u.test(passage)).slice(0, MAX_PASSAGES)
}

const joinLines = (...parts: string[]) => parts.filter((part) => part !== '').join('\n')

const roomOf = (name: string, trail: string) => PASSAGE_UNITS - name.length - trail.length - 2

interface Paragraph {
  /** Those above it, the outermost first. */
  readonly headings: readonly string[]
  readonly text: string
}

/** What is between empty lines and headings, and headings above nothing; in a fence of code nothing is a heading. */
function* splitParagraphs(body: string): Generator<Paragraph> {
  const headings: string[] = []
  let lines: string[] = []
  let fence = ''
  let isEmpty = false
  for (const line of [...body.split('\n'), null]) {
    const [, marks = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line ?? '') ?? []
    const heading = fence === '' ? /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(line ?? '') : null
    const level = line === null ? 1 : (heading?.[1] ?? '').length
    if (lines.length > 0 && (level > 0 || (fence === '' && line?.trim() === ''))) {
      yield { headings: [...headings], text: lines.join('\n') }
      lines = []
      isEmpty = false
    } else if (level === 0 && line?.trim() !== '') lines.push(line ?? '')
    if (level > 0) {
      if (isEmpty && level <= headings.length) yield { headings: headings.slice(0, -1), text: headings.at(-1) ?? '' }
      headings.length = Math.min(headings.length, level - 1)
      headings.push((heading?.[2] ?? '').replace(/[ \t]#+[ \t]*$/, '').trim())
      isEmpty = true
    } else if (fence === '') fence = marks
    else if (marks.startsWith(fence)) fence = ''
  }
}

/** Pieces of at most so many UTF-16 units, cut behind a sentence or a word where there is one, and through no character. */
function* splitPieces(text: string, most: number): Generator<string> {
  let from = 0
  while (text.length - from > most) {
    const window = text.slice(from, from + most)
    const ends = [window.search(/[.!?。！？]\s(?=[^.!?。！？]*$)/) + 1, window.search(/\s\S*$/)]
    let length = ends.find((end) => end > most / 2) ?? most
    if (/[\ud800-\udbff]/.test(window.charAt(length - 1))) length--
    yield text.slice(from, from + length)
    from += length
  }
  yield text.slice(from)
}
