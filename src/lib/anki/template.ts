import { UnreadableItem } from '../file-fault'
import type { Notetype } from './collection'

interface FilledTemplate {
  readonly html: string
  /** The fields that the template names, including empty ones. */
  readonly used: ReadonlySet<string>
  /** Whether no field with a value is shown. Anki makes no card of such a question. */
  readonly isEmpty: boolean
  /** The field whose text the learner types, with the filters before its name; null: none. */
  readonly typed: { readonly name: string; readonly filters: readonly string[] } | null
}

export interface TemplateOptions {
  /** Whether `{{type:Field}}` shows the field; in a question it does not. */
  readonly showTyped: boolean
  /** Converts the value of a field, such as one with clozes. */
  value(name: string, value: string, filters: readonly string[]): string
}

/** The rule between question and answer in most templates. */
const ANSWER_RULE = /<hr\s+id\s*=\s*["']?answer["']?\s*\/?>/i
/** A tag, or the beginning of a comment, in which there are none. */
const TAG = /<!--|\{\{\s*([#^/]?)([^{}]*)\}\}/g
/** The first line of a template with tags of the old form. */
const OLD_FORM = /^\s*\{\{=<% %>=\}\}/
const OLD_TAG = /<!--|<%\s*([#^/]?)([^<>%]*)%>/g
const EMPTY = /^(?:\s|&nbsp;|<\/?(?:br|div)\s?\/?>)*$/i
/** Names that stand for properties of the card, not for fields. */
const SPECIAL = new Set(['FrontSide', 'Tags', 'Type', 'Deck', 'Subdeck', 'Card', 'CardFlag', 'CardID'])

export function mapFieldValues({ fields }: Pick<Notetype, 'fields'>, values: readonly string[]): Map<string, string> {
  return new Map(fields.map((name, index) => [name, values[index] ?? '']))
}

/** Returns the part of an answer's template after the question. */
export function cutAnswerPart(template: string): string {
  const rule = ANSWER_RULE.exec(template)
  return rule ? template.slice(rule.index + rule[0].length) : template
}

/** UTF-16 units, far more than any real card has: a template can repeat a long field any number of times. */
const MAX_HTML_UNITS = 4 * 1024 * 1024

/** Fills a template, without sections of empty fields, in one pass. Throws UnreadableItem too_long. */
export function fillTemplate(
  template: string,
  values: ReadonlyMap<string, string>,
  options: TemplateOptions,
): FilledTemplate {
  const used = new Set<string>()
  const parts: string[] = []
  const sections: boolean[] = []
  let typed: FilledTemplate['typed'] = null
  let isEmpty = true
  let at = OLD_FORM.exec(template)?.[0].length ?? 0
  const tags = template.matchAll(at > 0 ? OLD_TAG : TAG)
  let commentEnd = at
  let length = 0
  const isShown = () => sections.every(Boolean)
  const add = (part: string) => {
    length += part.length
    if (length > MAX_HTML_UNITS)
      throw new UnreadableItem('too_long', 'A card of the note shows more than a fact can hold.')
    parts.push(part)
  }
  for (const { 0: tag, 1: mark, 2: content = '', index } of tags) {
    // Without a further end, -1, no comment begins any more.
    if (tag === '<!--' && commentEnd >= 0 && index >= commentEnd) commentEnd = template.indexOf('-->', index + 4)
    if (tag === '<!--' || index < commentEnd) continue
    if (isShown()) add(template.slice(at, index))
    at = index + tag.length
    const names = content.split(':').map((part) => part.trim())
    const name = names.pop() ?? ''
    if (mark === '/') sections.pop()
    else if (mark !== '') sections.push(isFilled(values, name) === (mark === '#'))
    if (!values.has(name)) continue
    used.add(name)
    if (mark !== '' || !isShown()) continue
    isEmpty &&= isEmptyHtml(values.get(name) ?? '')
    if (names.includes('type')) typed ??= { name, filters: names }
    if (!names.includes('type') || options.showTyped) add(options.value(name, values.get(name) ?? '', names))
  }
  if (isShown()) add(template.slice(at))
  return { html: parts.join(''), used, isEmpty, typed }
}

/** Whether a section is shown. `{{#c1}}` marks a card of a cloze, and is always shown. */
function isFilled(values: ReadonlyMap<string, string>, name: string): boolean {
  const value = values.get(name)
  return value === undefined ? SPECIAL.has(name) || /^c\d+$/.test(name) : !isEmptyHtml(value)
}

function isEmptyHtml(html: string): boolean {
  return EMPTY.test(html)
}
