/** The marks `[n]` of a text. */
export function citationMarks(text: string): Set<number> {
  return new Set(Array.from(text.matchAll(/\[(\d+)\]/g), ([, digits]) => Number(digits)))
}

/**
 * Elements of HTML that call a server by being shown, where Markdown lets them through. Without their `<` they are text.
 * Every tag that begins like one of them counts.
 */
const LOADING =
  'img image picture source video audio track iframe frame embed object applet link meta base script style svg input body table td th'.split(
    ' ',
  )

const LONGEST_NAME = Math.max(...LOADING.map(({ length }) => length))
const LOADING_TAG = new RegExp(`<(?=${LOADING.join('|')})`, 'gi')

/** What a text that starts with `<` is: the beginning of such a tag, not that, or `open` while it may become one. */
export function loadingTag(text: string): boolean | 'open' {
  const name = text.slice(1, 1 + LONGEST_NAME).toLowerCase()
  if (LOADING.some((one) => name.startsWith(one))) return true
  return LOADING.some((one) => one.startsWith(name)) ? 'open' : false
}

/**
 * Text of a note as it may stand in an answer: on one line, without marks that would look like ours, and without
 * images, of Markdown or HTML, since showing one calls a server of the note's choice. The citation's quote stays as it is.
 */
export function toAnswerText(text: string): string {
  return text
    .replace(/\s*[\r\n]\s*(?:>\s*)*/g, ' ')
    .replace(/\[(\d+)\]/g, '($1)')
    .replace(/!\[([^[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '[image: $1]')
    .replace(/!\[/g, '! [')
    .replace(LOADING_TAG, '< ')
    .trim()
}
