/** Splits a text into passages, one for each vector: short enough for an encoder, below their title and headings. */
import { readHeading, readLines } from '../../lib/markdown/lines'
import type { Texts } from '../source'

/** UTF-16 units of a passage, its title and headings included: about 200 tokens, where small encoders read 256. */
const PASSAGE_UNITS = 900
/** UTF-16 units of the title, and of the headings, that come before a passage. */
const TITLE_UNITS = 120
/** Passages of one text; text after them is found by its words only. */
export const MAX_PASSAGES = 32
/** UTF-16 units of a body that are read: more do not fit into that many passages. */
const BODY_UNITS = MAX_PASSAGES * PASSAGE_UNITS

/** Splits a text into at most MAX_PASSAGES passages. A text without letters and digits has none. */
export function splitPassages({ title, tags, body }: Pick<Texts, 'title' | 'tags' | 'body'>): string[] {
  const name = [title.trim(), ...tags].join(' · ').slice(0, TITLE_UNITS)
  const passages: string[] = []
  let headings: readonly { readonly level: number; readonly text: string }[] = []
  let trail = ''
  let lines = ''
  const put = () => {
    passages.push([name, trail, lines.trimEnd()].filter(Boolean).join('\n'))
    lines = ''
  }
  for (const { kind, text } of readLines(body.slice(0, BODY_UNITS))) {
    const heading = kind === 'text' ? readHeading(text) : null
    if (heading === null) {
      const room = PASSAGE_UNITS - name.length - trail.length
      for (const piece of splitPieces(text, room)) {
        if (lines.length + piece.length > room) put()
        if (piece.trim() !== '') lines += `${piece}\n`
      }
      continue
    }
    const level = text.trim().search(/[^#]|$/)
    if (lines !== '' || level <= (headings.at(-1)?.level ?? 0)) put()
    headings = [...headings.filter((above) => above.level < level), { level, text: heading }]
    trail = headings
      .map((above) => above.text)
      .join(' › ')
      .slice(0, TITLE_UNITS)
  }
  put()
  return passages.filter((passage) => /[\p{L}\p{N}]/u.test(passage)).slice(0, MAX_PASSAGES)
}

/** Splits a line into pieces of at most `most` UTF-16 units, after a word if possible, never inside a character. */
function* splitPieces(text: string, most: number): Generator<string> {
  let from = 0
  while (text.length - from > most) {
    const space = text.lastIndexOf(' ', from + most - 1)
    let end = space > from + most / 2 ? space + 1 : from + most
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end--
    yield text.slice(from, end)
    from = end
  }
  yield text.slice(from)
}
