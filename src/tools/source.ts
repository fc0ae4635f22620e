import { stripHtml } from '../lib/text'
import { clip } from './fit'
import type { ChatCitation } from './schema'
import type { ToolFact, ToolNote, ToolTask } from './services'

/**
 * A range of a resource's text, in UTF-16 units, that an answer may cite. The text of a task is its title, that of a
 * fact its front or cloze text.
 */
export interface CitationSource {
  readonly type: ChatCitation['type']
  readonly id: string
  readonly title: string
  readonly revision: number
  readonly text: string
  readonly start: number
  readonly end: number
}

/** UTF-16 units of a body that are cited at most, unless a sentence is cited. */
const MAX_CITED_UNITS = 600

/** Returns the text of a fact that is cited: the front, the text with its clozes, or the first field of a custom one. */
export const factText = (fact: Pick<ToolFact, 'front' | 'text' | 'fields'>): string =>
  fact.front ?? fact.text ?? listShownFields(fact)[0] ?? ''

/** Returns the texts of the fields of a fact that show something, in order. */
export function listShownFields({ fields }: Pick<ToolFact, 'fields'>): string[] {
  const texts = Object.values(fields ?? {}).map((html) => stripHtml(html).trim())
  return texts.filter((text) => text !== '')
}

/** Citations of a whole task or fact. */
export const citeWhole = {
  task: ({ id, title, revision }: ToolTask): CitationSource => {
    return { type: 'task', id, title, revision, text: title, start: 0, end: title.length }
  },
  fact: (fact: Pick<ToolFact, 'id' | 'revision' | 'front' | 'text' | 'fields'>): CitationSource => {
    const text = factText(fact)
    return { type: 'fact', id: fact.id, title: clip(text), revision: fact.revision, text, start: 0, end: text.length }
  },
}

/** Cites a range of a body, in UTF-16 units. */
export function citeRange({ id, title, revision, body }: ToolNote, start: number, end: number): CitationSource {
  return { type: 'note', id, title, revision, text: body, start, end }
}

/** Cites the beginning of a range of a body, without white space at its ends; nothing if it is all white space. */
export function citeBeginning(note: ToolNote, start: number, end: number): CitationSource[] {
  const shown = note.body.slice(start, end)
  const from = start + shown.length - shown.trimStart().length
  const whole = note.body.slice(from, end).trimEnd()
  const piece = whole.length <= MAX_CITED_UNITS ? whole : withoutCutWord(whole.slice(0, MAX_CITED_UNITS))
  return piece === '' ? [] : [citeRange(note, from, from + piece.length)]
}

function withoutCutWord(text: string): string {
  const words = text.replace(/\s+\S*$/, '')
  return words === text ? text.replace(/[\ud800-\udbff]$/, '') : words
}
