/**
 * Splits a text into passages, one for each vector: short enough for an encoder, with title and headings before them.
 */
import type { Texts } from '../source'

/** UTF-16 units of a passage, its title and headings included: about 200 tokens, where small encoders read 256. */
const PASSAGE_UNITS = 900
/** UTF-16 units of the title that comes before a passage. */
const TITLE_UNITS = 120
/** UTF-16 units of the headings that come before a passage. */
const TRAIL_UNITS = 120
/** Passages of one text; text after them is found by its words only. */
export const MAX_PASSAGES = 32
/** UTF-16 units of a body that are read: more do not fit into that many passages. */
const BODY_UNITS = MAX_PASSAGES * PASSAGE_UNITS

/** Splits a text into at most MAX_PASSAGES passages. A text without letters and digits has none. */
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
  /** The headings above it, the outermost first. */
  readonly headings: readonly string[]
  readonly text: string
}

/** Yields the paragraphs of a body, and headings without a text below them. Fenced code has no headings. */
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

/**
 * Splits a text into pieces of at most `most` UTF-16 units, after a sentence or a word if possible, never inside a
 * character.
 */
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
