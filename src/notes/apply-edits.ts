import { invalid } from '../http/api-error'
import { editBlock } from './edit-blocks'
import { EditedProperties } from './edit-properties'
import {
  createAmbiguousError,
  createMissingError,
  detectLineEnd,
  findOccurrences,
  getHeadingPath,
  listSections,
  MAX_CANDIDATES,
  matchSections,
  type NoteSection,
  pickNearest,
  toHeadingCandidates,
  toTextCandidates,
} from './edit-targets'
import { isBlank, isLineEnd } from './markdown/grammar'
import { collapseWhitespace } from './markdown/plain-text'
import { type Span, scanMarkdown } from './markdown/scan-markdown'
import type { BodyEdit, HeadingTarget, PropertyTarget, TextTarget } from './schema'

type PlacingOp = 'append' | 'prepend' | 'replace'

const PLACING_OPS: readonly BodyEdit['op'][] = ['append', 'prepend', 'replace'] satisfies PlacingOp[]
/** The ops that work with targets of each kind; with a heading all do. */
const OWN_OPS: Readonly<Record<string, readonly BodyEdit['op'][]>> = {
  document: PLACING_OPS,
  text: ['replace', 'delete', 'insert_before', 'insert_after'],
  block: [...PLACING_OPS, 'delete'],
  property: [...PLACING_OPS, 'delete'],
}

/**
 * Applies edits to a body, each to the result of the one before. Throws edit_target_missing or edit_target_ambiguous
 * with candidates, or invalid_request; pointers begin with `/edits`.
 */
export function applyEdits(body: string, edits: readonly BodyEdit[], properties = new EditedProperties()): string {
  return applyEditsInSteps(body, edits, properties).reduce((_, text) => text, body)
}

/** Does the same, but yields the body after each edit, so that the caller can let other requests run in between. */
export function* applyEditsInSteps(
  body: string,
  edits: readonly BodyEdit[],
  properties: EditedProperties,
): Generator<string, void> {
  edits.forEach((edit, index) => {
    requireValidEdit(edit, `/edits/${index}`)
  })
  let text = body
  for (const [index, edit] of edits.entries()) {
    const at = `/edits/${index}`
    if ('property' in edit.target) properties.edit(edit, edit.target, at)
    else text = applyEdit(text, edit, edit.target, at)
    yield text
  }
}

/** Throws invalid_request if members do not go together in a way that the schema cannot express. */
function requireValidEdit({ op, target, content, join, create_missing }: BodyEdit, at: string): void {
  const [kind = ''] = Object.keys(OWN_OPS).filter((kind) => kind in target)
  if (!(OWN_OPS[kind] ?? [op]).includes(op))
    throw invalid(`${at}/op`, 'invalid_value', `${op} does not work with this target`)
  if ((content === undefined) !== (op === 'delete'))
    throw invalid(`${at}/content`, 'invalid_value', 'content is needed for every op but delete, which takes none')
  if (kind !== 'property' && content !== undefined && typeof content !== 'string')
    throw invalid(`${at}/content`, 'invalid_type', 'content must be a string, unless the target is a property')
  const isPlaced = 'heading' in target || 'document' in target
  if (join !== undefined && (op === 'delete' || op === 'rename' || !isPlaced))
    throw invalid(`${at}/join`, 'invalid_value', 'join works only with content at a heading or in the document')
  if (create_missing && !(('heading' in target || kind === 'property') && PLACING_OPS.includes(op)))
    throw invalid(
      `${at}/create_missing`,
      'invalid_value',
      'create_missing works with a heading or a property and append, prepend or replace',
    )
}

function applyEdit(
  body: string,
  edit: BodyEdit,
  target: Exclude<BodyEdit['target'], PropertyTarget>,
  at: string,
): string {
  const { op, join = 'block' } = edit
  const content = typeof edit.content === 'string' ? edit.content : ''
  if ('text' in target) return editText(body, op, target, content, at)
  if ('block' in target) return editBlock(body, op, target, content, at)
  if ('heading' in target) return editSection(body, edit, target, content, at)
  const region = { from: 0, start: 0, end: body.length, headingEnd: null }
  if (op === 'replace') return content.replace(/\r\n|[\r\n]/g, detectLineEnd(body, content))
  return putContent(body, findContentSpan(op as PlacingOp, body, region, join), region, content, join)
}

function editSection(body: string, edit: BodyEdit, target: HeadingTarget, content: string, at: string): string {
  const { op, join = 'block' } = edit
  const sections = listSections(body)
  const found = matchSections(sections, target.heading)
  if (found.length === 0 && edit.create_missing && (target.nth ?? 1) === 1)
    return createSection(body, sections, target, content, join, at)
  const section = requireSection(sections, found, target, at)
  if (op === 'rename') return renameHeading(body, sections, section, content, at)
  const region = toRegion(section, target.scope)
  if (op === 'delete') return body.slice(0, region.from) + body.slice(region.end)
  if (op === 'insert_before') return putContent(body, { start: region.from, end: region.from }, region, content, join)
  // A section has no end mark, so inserting after it is the same as appending to it.
  return putContent(
    body,
    findContentSpan(op === 'insert_after' ? 'append' : op, body, region, join),
    region,
    content,
    join,
  )
}

/** Gives a heading another text, and leaves the structure of the body as it is. Throws invalid_request. */
function renameHeading(
  body: string,
  sections: readonly NoteSection[],
  section: NoteSection,
  content: string,
  at: string,
): string {
  const { start, end, level } = section.heading
  const renamed = `${body.slice(0, start)}${'#'.repeat(level)} ${content.trim()}${body.slice(end)}`
  const now = listSections(renamed)
  const isKept = ({ heading, name }: NoteSection, i: number) =>
    heading.level === sections[i]?.heading.level && (sections[i] === section ? name !== '' : name === sections[i].name)
  if (/[\r\n]/.test(content.trim()) || now.length !== sections.length || !now.every(isKept))
    throw invalid(`${at}/content`, 'invalid_value', 'the new text of a heading must be one line of text')
  return renamed
}

function toRegion({ heading }: NoteSection, scope: 'section' | 'own' = 'section'): ContentRegion {
  const end = scope === 'own' ? heading.ownEnd : heading.sectionEnd
  return { from: heading.start, start: heading.bodyStart, end, headingEnd: heading.end }
}

/** Returns the section that a target names. Throws unless exactly one matches; it never guesses. */
function requireSection(
  sections: readonly NoteSection[],
  found: readonly NoteSection[],
  target: HeadingTarget,
  at: string,
): NoteSection {
  const { heading, nth, scope } = target
  const isAmbiguous = nth === undefined && found.length > 1
  const section = isAmbiguous ? undefined : found[(nth ?? 1) - 1]
  if (section) return section
  const shown = isAmbiguous ? found : pickNearest(sections, heading.at(-1) ?? '', ({ name }) => name)
  const candidates = toHeadingCandidates(sections, shown, scope ? { scope } : {})
  throw isAmbiguous ? createAmbiguousError('heading', at, candidates) : createMissingError('heading', at, candidates)
}

/** Adds the missing headings of a path at the end of their parent section, and the content below them. */
function createSection(
  body: string,
  sections: readonly NoteSection[],
  { heading: path }: HeadingTarget,
  content: string,
  join: ContentJoin,
  at: string,
): string {
  const { parent, rest } = findParent(sections, path, at)
  const region = parent ? toRegion(parent) : { from: 0, start: 0, end: body.length, headingEnd: null }
  const level = (parent?.heading.level ?? 0) + 1
  const text = writeMissingHeadings(rest, level, content, join, detectLineEnd(body, content), `${at}/target/heading`)
  const result = putContent(body, findContentSpan('append', body, region, 'block'), region, text, 'block')
  if (matchSections(listSections(result), path).length !== 1)
    throw invalid(
      `${at}/target/heading`,
      'invalid_value',
      'text at the end of its parent would not be a heading, because a block there is not closed',
    )
  return result
}

/** Finds the section that the longest beginning of a path names. `rest` is the part of the path that is missing. */
function findParent(sections: readonly NoteSection[], path: readonly string[], at: string) {
  for (let length = path.length - 1; length > 0; length -= 1) {
    const found = matchSections(sections, path.slice(0, length))
    const rest = path.slice(length)
    // A candidate must be the only section with its path, and leave room for the missing levels.
    const candidates = found.filter(
      (section) =>
        section.heading.level + rest.length <= MAX_HEADING_LEVEL &&
        matchSections(sections, getHeadingPath(section)).length === 1,
    )
    if (found.length > 1) throw createAmbiguousError('heading', at, toHeadingCandidates(sections, candidates, {}, rest))
    if (found[0]) return { parent: found[0], rest }
  }
  return { parent: null, rest: path }
}

function editText(body: string, op: BodyEdit['op'], target: TextTarget, content: string, at: string): string {
  const start = findText(body, target, at)
  const end = start + target.text.length
  const kept = op === 'insert_before' || op === 'insert_after' ? target.text : ''
  const text = op === 'insert_after' ? kept + content : content + kept
  return body.slice(0, start) + text + body.slice(end)
}

/** Returns the offset of a target's text. Throws unless exactly one occurrence matches. */
function findText(body: string, { text, within, nth }: TextTarget, at: string): number {
  const all = findOccurrences(body, text)
  const areas = within ? matchSections(listSections(body), within) : null
  const inside = areas
    ? all.filter((start) => areas.slice(0, MAX_CANDIDATES).some((area) => isInSection(area, start, text)))
    : all
  const isAmbiguous = (areas !== null && areas.length > 1) || (nth === undefined && inside.length > 1)
  if (isAmbiguous) throw createAmbiguousError('text', at, toTextCandidates(body, text, all, inside))
  const start = inside[(nth ?? 1) - 1]
  if (start === undefined) throw createMissingError('text', at, toTextCandidates(body, text, all, all))
  return start
}

function isInSection({ heading }: NoteSection, start: number, text: string): boolean {
  return start >= heading.bodyStart && start + text.length <= heading.sectionEnd
}

/** The part of a body that an edit works on: from `start` to `end`, without its heading. */
interface ContentRegion extends Span {
  /** The start of the heading; 0 for the whole document. */
  readonly from: number
  /** The end of the heading's last line, before its line end; null for the whole document. */
  readonly headingEnd: number | null
}

/** The separation of content from the text around it: a blank line, a line end, or nothing. */
type ContentJoin = 'block' | 'line' | 'none'

const LINE_ENDS_OF_JOIN = { block: 2, line: 1, none: 0 } as const
const [LF, CR] = [10, 13]

/** Finds the part of a region that an op replaces by its content: whole lines of text, unless `join` is `none`. */
function findContentSpan(
  op: 'append' | 'prepend' | 'replace',
  body: string,
  region: ContentRegion,
  join: ContentJoin,
): Span {
  const lines = join === 'none' ? region : findTextLines(body, region.start, region.end)
  const { start, end } = lines ?? { start: region.headingEnd ?? 0, end: region.headingEnd ?? 0 }
  if (op === 'append') return { start: end, end }
  if (op === 'prepend') return { start, end: start }
  return { start, end }
}

/**
 * Replaces a part of the body by content. Adds only the line ends that the join needs and that are missing; nothing
 * else of the body changes. Even with `none`, headings stay on separate lines.
 */
function putContent(body: string, span: Span, region: ContentRegion, content: string, join: ContentJoin): string {
  const lineEnd = detectLineEnd(body, content)
  const text = trimContent(content, join).replace(/\r\n|[\r\n]/g, lineEnd)
  if (text === '') return removeText(body, span, region)
  const atHeading = region.headingEnd === null ? 0 : 1
  const before = join === 'none' && span.start === region.start ? atHeading : LINE_ENDS_OF_JOIN[join]
  const after = join === 'none' && isAtRegionEdge(span, region) ? atHeading : LINE_ENDS_OF_JOIN[join]
  const lead = lineEnd.repeat(Math.max(0, before - countLineEndsBefore(body, span.start)))
  const inText = join === 'none' ? countLineEndsBefore(text, text.length) : 0
  const tail = lineEnd.repeat(Math.max(0, after - inText - countLineEndsAfter(body, span.end)))
  return body.slice(0, span.start) + lead + text + tail + body.slice(span.end)
}

function isAtRegionEdge({ end }: Span, region: ContentRegion): boolean {
  return end === region.end || end === region.from
}

/** Removes blank lines around the content, since the join decides about them; `none` keeps them. */
function trimContent(content: string, join: ContentJoin): string {
  if (join === 'none') return content
  const lines = findTextLines(content, 0, content.length)
  return lines ? content.slice(lines.start, lines.end) : ''
}

/** Removes lines with the blank lines after them. Returns the body unchanged if the span is empty. */
function removeText(body: string, { start, end }: Span, region: ContentRegion): string {
  return start === end ? body : body.slice(0, start) + body.slice(region.end)
}

/** Finds the range from the first line with text to the end of the last, without its line end; null if all is blank. */
function findTextLines(text: string, from: number, to: number): Span | null {
  let start = from
  let at = from
  for (; at < to && isBlank(text.charCodeAt(at)); at += 1) if (isLineEnd(text.charCodeAt(at))) start = at + 1
  if (at === to) return null
  let end = to
  for (at = to; isBlank(text.charCodeAt(at - 1)); at -= 1) if (isLineEnd(text.charCodeAt(at - 1))) end = at - 1
  return { start, end }
}

/**
 * Counts the line ends directly before `at`, with blanks between them; Infinity if the text has nothing else before.
 */
function countLineEndsBefore(text: string, at: number): number {
  let count = 0
  for (; at > 0 && isBlank(text.charCodeAt(at - 1)); at -= 1) if (isEndOfLine(text, at - 1)) count += 1
  return at === 0 ? Number.POSITIVE_INFINITY : count
}

function countLineEndsAfter(text: string, at: number): number {
  let count = 0
  for (; at < text.length && isBlank(text.charCodeAt(at)); at += 1) if (isEndOfLine(text, at)) count += 1
  return at === text.length ? Number.POSITIVE_INFINITY : count
}

/** Whether a line ends with the character at `at`. The CR of a CRLF does not end a line. */
function isEndOfLine(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)
}

const MAX_HEADING_LEVEL = 6
const MARKUP = /[\\`*_~<>&[\]#%|$!^=:-]/g

/**
 * Writes headings for the texts, each one level below the one before, and the content under the last. Throws
 * invalid_request if they would nest too deep, or if a text cannot be a heading.
 */
function writeMissingHeadings(
  texts: readonly string[],
  level: number,
  content: string,
  join: ContentJoin,
  lineEnd: string,
  pointer: string,
): string {
  if (level + texts.length - 1 > MAX_HEADING_LEVEL)
    throw invalid(pointer, 'too_deep', `the missing headings would go deeper than level ${MAX_HEADING_LEVEL}`)
  const headings = texts.map((text, i) => `${'#'.repeat(level + i)} ${toHeadingMarkdown(text, pointer)}`)
  const gap = join === 'block' ? lineEnd + lineEnd : lineEnd
  const below = trimContent(content, join)
  return headings.join(lineEnd + lineEnd) + (below === '' ? '' : gap + below)
}

/**
 * Writes a heading's text as Markdown: unchanged if it reads back as the same text, else with its punctuation escaped.
 */
function toHeadingMarkdown(text: string, pointer: string): string {
  const wanted = collapseWhitespace(text).normalize('NFC')
  // A link definition elsewhere in the body can make markup of brackets.
  const unescaped = wanted.includes('[') ? [] : [wanted]
  const markdown = [...unescaped, wanted.replace(MARKUP, '\\$&')].find((text) => readHeadingText(text) === wanted)
  if (markdown === undefined || wanted === '')
    throw invalid(pointer, 'invalid_value', 'a missing heading must be one line of text')
  return markdown
}

function readHeadingText(markdown: string): string | undefined {
  const { headings } = scanMarkdown(`# ${markdown}`)
  return headings[0]?.text.normalize('NFC')
}
