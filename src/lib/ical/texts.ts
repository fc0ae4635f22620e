import {
  MAX_ITEM_LABEL_CHARS,
  MAX_ITEM_LABELS,
  MAX_ITEM_NOTES_BYTES,
  MAX_ITEM_TITLE_CHARS,
  type Property,
  type Warn,
} from './item'
import { unescapeText } from './properties'
import { splitList, stripControls, takeCodePoints, takeUtf8Bytes } from './text'

const UNTITLED = 'Untitled'
const LINE_ENDS = /[\r\n\v\f\u0085\u2028\u2029]+/
/**
 * UTF-16 units of a label that are read: enough for its limit, even if each character is escaped or outside the BMP.
 */
const LABEL_UNITS = 1000
/** Categories of an item that are read. */
const MAX_CATEGORIES = 10_000

/**
 * Reads a title of one line. If it had to be cut, `above` has the whole title, to be put before the notes. An item
 * without a title is named after the first line of its notes.
 */
export function readTitle(summary: string, notes: string, warn: Warn): { title: string; above: string } {
  const line = joinLines(summary)
  if (line === '') {
    warn('title_made', 'The item has no SUMMARY.')
    return { title: takeCodePoints(readFirstLine(notes), MAX_ITEM_TITLE_CHARS).text.trim() || UNTITLED, above: '' }
  }
  if (line !== summary.trim()) warn('title_changed', 'A title is one line: its line ends became spaces.')
  if (!takeCodePoints(line, MAX_ITEM_TITLE_CHARS).cut) return { title: line, above: '' }
  warn('title_cut', `The title is over ${MAX_ITEM_TITLE_CHARS} characters: it was cut, and the notes have all of it.`)
  return { title: `${takeCodePoints(line, MAX_ITEM_TITLE_CHARS - 1).text.trimEnd()}…`, above: `${line}\n\n` }
}

/** Reads notes, cut at MAX_ITEM_NOTES_BYTES with a warning; null if there are none. */
export function readItemNotes(text: string, warn: Warn): string | null {
  const { text: notes, cut } = takeUtf8Bytes(text, MAX_ITEM_NOTES_BYTES)
  if (cut) warn('notes_cut', 'The notes are over 64 KiB: they were cut there.')
  return notes === '' ? null : notes
}

/**
 * Reads the distinct labels of all CATEGORIES, ignoring letter case. Long ones are cut; those beyond MAX_ITEM_LABELS,
 * and all after the first MAX_CATEGORIES, are dropped.
 */
export function readLabels(lines: readonly Pick<Property, 'raw'>[], warn: Warn): string[] {
  const labels = new Map<string, string>()
  let [seen, dropped] = [0, 0]
  for (const escaped of listCategories(lines)) {
    if (seen++ === MAX_CATEGORIES) break
    const label = readLabel(escaped, warn)
    const key = label.toLowerCase()
    if (label === '' || labels.has(key)) continue
    if (labels.size < MAX_ITEM_LABELS) labels.set(key, label)
    else dropped++
  }
  if (dropped > 0 || seen > MAX_CATEGORIES) warn('labels_dropped', describeDropped(dropped, seen > MAX_CATEGORIES))
  return [...labels.values()]
}

function* listCategories(lines: readonly Pick<Property, 'raw'>[]): Generator<string> {
  for (const { raw } of lines) yield* splitList(raw)
}

function describeDropped(dropped: number, more: boolean): string {
  const rest = more ? `, and all after the first ${MAX_CATEGORIES} categories` : ''
  return `A task has at most ${MAX_ITEM_LABELS} labels: ${dropped} further${rest} were left out.`
}

function readLabel(escaped: string, warn: Warn): string {
  const { text, cut } = takeCodePoints(joinLines(unescapeText(escaped.slice(0, LABEL_UNITS))), MAX_ITEM_LABEL_CHARS)
  if (cut || escaped.length > LABEL_UNITS)
    warn('label_cut', `${text.slice(0, 40)}… was cut at ${MAX_ITEM_LABEL_CHARS} characters.`)
  return text.trim()
}

function readFirstLine(text: string): string {
  return joinLines(text.split('\n', 20).find((line) => line.trim() !== '') ?? '')
}

/**
 * Joins lines with single spaces. Each line is trimmed by itself: one pattern around line ends would take quadratic
 * time.
 */
export function joinLines(text: string): string {
  const lines = text.split(LINE_ENDS).map((line) => stripControls(line).trim())
  return lines.filter((line) => line !== '').join(' ')
}
