/** Places of a note's formatted text and of its Markdown: the sentence of a citation, the paragraph one reads. */

/** Letters and digits: what formatting leaves as it is. */
const LETTER = /[\p{L}\p{N}]/u
/** Letters of the quote that must be found where all of them are not: an address of a link is not shown, for example. */
const BEGINNING = 40
const NAME = 'quote'

/** Reads `START-END`, offsets in code points of a body, and returns what is there; null if there is nothing. */
export function readQuote(body: string, offsets: string | null): string | null {
  const [, start, end] = /^(\d+)-(\d+)$/.exec(offsets ?? '') ?? []
  if (start === undefined || end === undefined) return null
  const quote = [...body].slice(Number(start), Number(end)).join('')
  return LETTER.test(quote) ? quote : null
}

/**
 * Marks a quote of the Markdown in its formatted text, and scrolls to it. Returns what takes the mark away again; null if the
 * quote is not there, or the browser cannot mark it.
 */
export function showQuote(root: HTMLElement, quote: string): (() => void) | null {
  const range = findQuote(root, quote)
  if (!range || !('highlights' in CSS)) return null
  CSS.highlights.set(NAME, new Highlight(range))
  range.startContainer.parentElement?.scrollIntoView({ block: 'center' })
  return () => void CSS.highlights.delete(NAME)
}

function findQuote(root: HTMLElement, quote: string): Range | null {
  const letters: { readonly letter: string; readonly node: Text; readonly at: number }[] = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    let at = 0
    for (const letter of node.nodeValue ?? '') {
      if (LETTER.test(letter)) letters.push({ letter, node: node as Text, at })
      at += letter.length
    }
  }
  const wanted = [...quote].filter((letter) => LETTER.test(letter))
  for (const part of [wanted, wanted.slice(0, BEGINNING)]) {
    const place = letters.findIndex((_, from) => part.every((letter, i) => letters[from + i]?.letter === letter))
    const [first, last] = [letters[place], letters[place + part.length - 1]]
    if (!first || !last) continue
    const range = document.createRange()
    range.setStart(first.node, first.at)
    range.setEnd(last.node, last.at + last.letter.length)
    return range
  }
  return null
}

/** Pixels of the top of the window that are not read: the page's scroll-padding. */
const TOP = 32
const BLOCKS = '.markdown :is(p, h1, h2, h3, h4, h5, h6, li, pre, td)'

/** The offset in a body of the first paragraph in view of its formatted text; 0 if it is the first, or there is none. */
export function findReadPlace(root: HTMLElement, body: string): number {
  const blocks = [...root.querySelectorAll(BLOCKS)].filter(({ textContent }) => LETTER.test(textContent))
  const top = blocks.find((block) => block.getBoundingClientRect().bottom > TOP)
  if (!top || top === blocks[0]) return 0
  const lettersOf = (text: string) => [...text].filter((char) => LETTER.test(char)).join('')
  const range = document.createRange()
  range.selectNodeContents(root.querySelector('.markdown') ?? root)
  const shown = lettersOf(range.toString()).length
  range.setEndBefore(top)
  const text = lettersOf(body)
  // Equal paragraphs are distinguished by how far down they are; addresses of links are not shown.
  const expected = (lettersOf(range.toString()).length / shown) * text.length
  const wanted = lettersOf(top.textContent).slice(0, BEGINNING)
  let nearest = -1
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1))
    if (nearest === -1 || Math.abs(at - expected) < Math.abs(nearest - expected)) nearest = at
  const places = [...body.matchAll(new RegExp(LETTER, 'gu'))].flatMap(({ 0: { length }, index }) =>
    Array(length).fill(index),
  )
  return places[nearest] ?? 0
}
