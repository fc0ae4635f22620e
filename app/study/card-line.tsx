/** A side of a card on one line, as it is rendered. */
import { plainText } from '../../src/flashcards/cards/compare-answer'
import { readMarks, takeMathsOut } from '../../src/lib/markdown/maths'
import { Maths } from '../markdown/maths'

/** Letters of a side in a list, where a longer one ends with a word. */
const MAX_LETTERS = 300
/** A word in Han characters, and in brackets how it is read. As in Anki, a space before it only says where it begins. */
const READING = / ?(\p{sc=Han}[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}々〆ヶー]*)\[(\p{L}[^[\]]*)\]/u

export type LinePart =
  | { readonly text: string }
  | { readonly tex: string }
  | { readonly word: string; readonly reading: string }

/** Reads the line from the Markdown of a side. A picture is its description, a sound a note, and a table its cells. */
export function readLine(markdown: string): readonly LinePart[] {
  const { text, restore } = takeMathsOut(markdown)
  const plain = plainText(
    text
      .replace(/(!?)\[([^[\]\n]*)\]\(media:[^()\s]*\)/g, (_, isPicture, name) => (isPicture ? name : '♪'))
      .replace(/^\s*\|[-:|\s]+\|\s*$/gm, '')
      .replace(/^\s*\|(.*)\|\s*$/gm, (_, cells: string) => cells.replaceAll('|', '·')),
  )
  const line = plain.replace(/\s+/g, ' ').trim()
  const short = line.length > MAX_LETTERS ? `${line.slice(0, line.lastIndexOf(' ', MAX_LETTERS))} …` : line
  const parts = restore(short, (maths) => `\0${readMarks(maths).tex}\0`).split('\0')
  return parts.flatMap((part, place) => (place % 2 === 1 ? { tex: part } : readWords(part)))
}

/** Splits at the words with a reading: after each text there are a word and its reading, but for the last. */
function readWords(text: string): LinePart[] {
  const parts = text.split(READING)
  return parts.flatMap((part, place): LinePart[] => {
    if (place % 3 === 1) return [{ word: part, reading: parts[place + 1] ?? '' }]
    return place % 3 === 2 || part === '' ? [] : [{ text: part }]
  })
}

/** The line in letters alone, for a name. */
export const lineInWords = (line: readonly LinePart[]): string =>
  line.map((part) => ('text' in part ? part.text : 'tex' in part ? part.tex : part.word)).join('')

export function CardLine({ line }: { line: readonly LinePart[] }) {
  return (
    <>
      {line.map((part, place) =>
        'text' in part ? (
          part.text
        ) : 'tex' in part ? (
          <Maths key={place} tex={part.tex} isBlock={false} />
        ) : (
          <ruby key={place}>
            {part.word}
            <rt>{part.reading}</rt>
          </ruby>
        ),
      )}
    </>
  )
}
