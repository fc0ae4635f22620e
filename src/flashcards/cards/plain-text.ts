import { findCodeSpans } from '../../lib/markdown/lines'
import { takeMathsOut } from '../../lib/markdown/maths'

// Strips the markup of a short Markdown text, such as an answer. This is not a parser: it is enough for comparing.

const LETTER = /[\p{L}\p{N}]/u
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  ndash: '–',
  mdash: '—',
}

/** Returns the text without markup; images become their alternative text. White space and maths stay. */
export function plainText(markdown: string): string {
  const { text, restore } = takeMathsOut(markdown)
  return restore(withoutMarkup(text), (maths) => maths)
}

function withoutMarkup(markdown: string): string {
  const text = markdown.split('\n').map(withoutBlockSigns).join('\n')
  let from = 0
  const parts: string[] = []
  for (const [start, end] of findCodeSpans(text)) {
    parts.push(inline(text.slice(from, start)), withoutTicks(text.slice(start, end)))
    from = end
  }
  parts.push(inline(text.slice(from)))
  return parts.join('')
}

/** Removes quote signs, bullets and heading signs. Returns '' for a line that is only a fence or a rule. */
function withoutBlockSigns(line: string): string {
  if (/^[ \t>]*(?:`{3,}[^`]*|~{3,}.*|(?:[-*_][ \t]*){3,})$/.test(line)) return ''
  return line.replace(/^[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|#{1,6}[ \t]+)?/, '')
}

function withoutTicks(span: string): string {
  const ticks = /^`+/.exec(span)?.[0].length ?? 0
  return span.slice(ticks, span.length - ticks)
}

/** Where escaped characters are kept, in a private plane of Unicode, while markup is removed. */
const PROTECTED = 0xf0000

function inline(text: string): string {
  const safe = text.replace(/\\([!-/:-@[-`{-~])/g, (_, sign: string) =>
    String.fromCodePoint(PROTECTED + sign.charCodeAt(0)),
  )
  const bare = withoutEmphasis(withoutLinks(safe).replace(/<\/?[a-zA-Z][^<>]*>/g, ''))
  return bare
    .replace(/&(?:(\w{2,8})|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));/g, entity)
    .replace(/[\u{f0021}-\u{f007e}]/gu, (letter) => String.fromCharCode((letter.codePointAt(0) ?? 0) - PROTECTED))
}

function entity(whole: string, name?: string, decimal?: string, hexadecimal?: string): string {
  if (name !== undefined) return (Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined) ?? whole
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
}

/**
 * Replaces `[text](address)` and `![text](address)` by `text`, `<https://…>` by its address, `[[page|text]]` by its
 * text.
 */
function withoutLinks(text: string): string {
  return text
    .replace(/!?\[([^[\]\n]{0,1000})\]\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500})?\)/g, '$1')
    .replace(/!?\[\[(?:[^[\]|\n]{1,500}\|)?([^[\]|\n]{1,500})\]\]/g, '$1')
    .replace(/<((?:https?:\/\/|mailto:)[^<>\s]{1,2000})>/g, '$1')
}

interface Run {
  readonly start: number
  readonly text: string
  readonly opens: boolean
  readonly closes: boolean
}

/** Removes matching runs of `*`, `_`, `~~` and `==` around a text. */
function withoutEmphasis(text: string): string {
  const open = new Map<string, number[]>()
  const cut: Run[] = []
  const runs = [...text.matchAll(/\*{1,3}|_{1,3}|~~|==/g)].map((match) => runOf(text, match.index, match[0]))
  runs.forEach((run, index) => {
    const waiting = open.get(run.text) ?? []
    const opener = run.closes ? runs[waiting.pop() ?? -1] : undefined
    if (opener) cut.push(opener, run)
    else if (run.opens) open.set(run.text, [...waiting.slice(-50), index])
  })
  let from = 0
  const parts: string[] = []
  for (const { start, text: sign } of cut.sort((a, b) => a.start - b.start)) {
    parts.push(text.slice(from, start))
    from = start + sign.length
  }
  return parts.join('') + text.slice(from)
}

function runOf(text: string, start: number, sign: string): Run {
  const [before, after] = [text[start - 1] ?? ' ', text[start + sign.length] ?? ' ']
  const inWord = sign.startsWith('_') && LETTER.test(before) && LETTER.test(after)
  return {
    start,
    text: sign,
    opens: !inWord && !/\s/.test(after),
    closes: !inWord && !/\s/.test(before),
  }
}
