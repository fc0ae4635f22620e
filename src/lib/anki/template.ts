import { UnreadableItem } from '../unreadable-item'
import type { Notetype } from './collection'

/** What a template shows of one note: HTML, with the values in the place of their fields. */
export interface FilledTemplate {
  readonly html: string
  /** Fields that the template asks for, also those that are empty. */
  readonly used: ReadonlySet<string>
  /** The field whose text is to be typed in, or null. */
  readonly typed: string | null
}

export interface TemplateOptions {
  /** What `{{type:Field}}` shows: nothing in a question. */
  readonly showTyped: boolean
  /** Replaces a value that is there, e.g. those of the fields of clozes. */
  value(name: string, value: string, filters: readonly string[]): string
}

/** What separates the question from the answer in most templates. */
const ANSWER_RULE = /<hr\s+id\s*=\s*["']?answer["']?\s*\/?>/i
const TAG = /\{\{([#^/]?)([^{}]*)\}\}/g
const EMPTY = /^(?:\s|&nbsp;|<\/?(?:br|div)\s?\/?>)*$/i
/** Of the card and not of the note; the answer repeats the question. */
const SPECIAL = new Set(['FrontSide', 'Tags', 'Type', 'Deck', 'Subdeck', 'Card', 'CardFlag', 'CardID'])

/** The values of a note by the names of its fields. */
export function mapFieldValues({ fields }: Notetype, values: readonly string[]): Map<string, string> {
  return new Map(fields.map((name, index) => [name, values[index] ?? '']))
}

/** The part of an answer's template that the question does not show. */
export function cutAnswerPart(template: string): string {
  const rule = ANSWER_RULE.exec(template)
  return rule ? template.slice(rule.index + rule[0].length) : template
}

/** Far above any real card; a template can name a long field any number of times. */
const MAX_HTML_UNITS = 4 * 1024 * 1024

/** Fills a template in; sections of empty fields are left out. One pass, no recursion. Throws ItemFault too_long. */
export function fillTemplate(
  template: string,
  values: ReadonlyMap<string, string>,
  options: TemplateOptions,
): FilledTemplate {
  const used = new Set<string>()
  const parts: string[] = []
  const sections: boolean[] = []
  let typed: string | null = null
  let at = 0
  let length = 0
  const isShown = () => sections.every(Boolean)
  const add = (part: string) => {
    length += part.length
    if (length > MAX_HTML_UNITS)
      throw new UnreadableItem('too_long', 'A card of the note shows more than a fact can hold.')
    parts.push(part)
  }
  for (const { 0: tag, 1: mark, 2: content = '', index } of template.matchAll(TAG)) {
    if (isShown()) add(template.slice(at, index))
    at = index + tag.length
    const names = content.split(':').map((part) => part.trim())
    const name = names.pop() ?? ''
    if (mark === '/') sections.pop()
    else if (mark !== '') sections.push(isFilled(values, name) === (mark === '#'))
    if (!values.has(name)) continue
    used.add(name)
    if (mark !== '' || !isShown()) continue
    if (names.includes('type')) typed = name
    if (!names.includes('type') || options.showTyped) add(options.value(name, values.get(name) ?? '', names))
  }
  if (isShown()) add(template.slice(at))
  return { html: parts.join(''), used, typed }
}

/** `{{#c1}}` marks a card of a cloze: what is in it belongs to the note. */
function isFilled(values: ReadonlyMap<string, string>, name: string): boolean {
  const value = values.get(name)
  return value === undefined ? SPECIAL.has(name) || /^c\d+$/.test(name) : !isEmptyHtml(value)
}

export function isEmptyHtml(html: string): boolean {
  return EMPTY.test(html)
}
