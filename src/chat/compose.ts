/** The marks `[n]` of a text. */
export function marksOf(text: string): Set<number> {
  return new Set(Array.from(text.matchAll(/\[(\d+)\]/g), ([, digits]) => Number(digits)))
}

/**
 * Text of a note as it may stand in an answer: on one line, without marks that would look like ours, and without
 * images, since showing one calls a server of the note's choice. The citation's quote stays as it is.
 */
export function plain(text: string): string {
  return text
    .replace(/\s*[\r\n]\s*(?:>\s*)*/g, ' ')
    .replace(/\[(\d+)\]/g, '($1)')
    .replace(/!\[([^[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '[image: $1]')
    .replace(/!\[/g, '! [')
    .trim()
}
