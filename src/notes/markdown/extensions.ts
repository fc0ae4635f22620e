import type { Block } from './document.ts'
import type { BlockText } from './line-reader.ts'

/**
 * What Obsidian writes beyond GFM, as far as it is no grammar of its own: callouts, the sizes of pictures, directions.
 * Marks, maths, comments, footnotes, block names and states of tasks are in the scanners.
 */

/** Levels of notes that are shown in notes, and the UTF-16 units of all of them in one; what is beyond is a link. */
export const MAX_EMBED_DEPTH = 3
export const MAX_EMBED_UNITS = 2 ** 20

/** The first line of a callout: `[!note] Title`. A sign behind the brackets means that it can be folded. */
const CALLOUT = /^\[!([a-z][\w-]{0,30})\]([+-]?)[ \t]*([^\r\n]*)/i

export interface Callout {
  /** In lower case. */
  readonly kind: string
  readonly fold: 'open' | 'closed' | null
  /** As Markdown; without one the kind. */
  readonly title: BlockText | string
  /** The text behind the first line. */
  readonly rest: BlockText | null
}

/** Reads the paragraph that begins a quote; null unless the quote is a callout. */
export function readCallout(paragraph: BlockText): Callout | null {
  const { text, from, to } = paragraph
  const [line, kind = '', sign, title = ''] = CALLOUT.exec(text.slice(from, to)) ?? []
  if (line === undefined) return null
  const end = from + line.length
  const next = end + (/\S/.exec(text.slice(end, to))?.index ?? to - end)
  const name = kind.toLowerCase()
  return {
    kind: name,
    fold: sign === '+' ? 'open' : sign === '-' ? 'closed' : null,
    title: title.trim()
      ? { ...paragraph, from: end - title.length, to: end }
      : `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    rest: next < to ? { ...paragraph, from: next } : null,
  }
}

const SIZE = /^(.*?)(?:^|\|)\s*(\d{1,4})(?:x(\d{1,4}))?\s*$/s

/** Reads the size behind the bar of a picture's description, such as `a map|300x200`, in CSS pixels. */
export function readSize(description: string): { alt: string; width?: number; height?: number } {
  const [, alt = '', width, height] = (description.includes('|') && SIZE.exec(description)) || []
  if (width === undefined) return { alt: description }
  return { alt, width: Number(width), ...(height ? { height: Number(height) } : {}) }
}

/** Reads the alias of an embedded file that is its size, such as `300x200`, in CSS pixels as they are written; null if it is a text. */
export function readEmbedSize(alias: string | null): { readonly width: string; readonly height?: string } | null {
  const [, width, height] = /^(\d{1,4})(?:x(\d{1,4}))?$/.exec(alias ?? '') ?? []
  return width === undefined ? null : { width, ...(height && { height }) }
}

/** Letters of scripts that are written from right to left. */
export const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u

/** The direction of blocks: that of their first letter. */
export function directionOf(blocks: readonly Block[]): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.test(firstLetterOf(blocks)) ? 'rtl' : 'ltr'
}

function firstLetterOf(blocks: readonly Block[]): string {
  for (const block of blocks) {
    const letter = letterOf(block)
    if (letter !== '') return letter
  }
  return ''
}

function letterOf(block: Block): string {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return findLetter(block.text.text.slice(block.text.from, block.text.to))
    case 'quote':
      return firstLetterOf(block.blocks)
    case 'list':
      return firstLetterOf(block.items[0]?.blocks ?? [])
    case 'table':
      return findLetter(block.rows[0]?.join(' ') ?? '')
    default:
      return ''
  }
}

function findLetter(text: string): string {
  return /\p{L}/u.exec(text.replace(/^\[![^\]]*\]/, ''))?.[0] ?? ''
}
