import { findCodeSpans } from '../../lib/markdown/lines'

/** The words of a short Markdown text, such as an answer, without its markup. Not a parser: enough to compare by. */

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

/** The text as one reads it; of pictures, what they are called. White space is as it was. */
export function plainText(markdown: string): string {
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

/** Without quote signs, bullets and heading signs; a line that is only a fence or a rule is nothing. */
function withoutBlockSigns(line: string): string {
  if (/^[ \t>]*(?:`{3,}[^`]*|~{3,}.*|(?:[-*_][ \t]*){3,})$/.test(line)) return ''
  return line.replace(/^[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|#{1,6}[ \t]+)?/, '')
}

function withoutTicks(span: string): string {
  const ticks = /^`+/.exec(span)?.[0].length ?? 0
  return span.slice(ticks, span.length - ticks)
}

/** What a backslash protects is set aside as a letter of a private plane while the markup goes. */
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

/** `[text](address)` and `![text](address)` become `text`, `<https://…>` its address, `[[page|text]]` its text. */
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

/** Takes away the runs of `*`, `_`, `~~` and `==` that surround something and match. */
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
