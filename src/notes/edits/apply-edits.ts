import { ApiError, invalid } from '../../http/api-error'
import { MAX_HEADING_LEVEL, writeMissingHeadings } from './missing-headings'
import { type ContentJoin, type ContentRegion, detectLineEnd, findContentSpan, putContent } from './put-content'
import type { BodyEdit, HeadingTarget, TextTarget } from './schema'
import {
  type EditCandidate,
  findNearestSections,
  findOccurrences,
  getHeadingPath,
  listSections,
  MAX_CANDIDATES,
  matchSections,
  type NoteSection,
  toHeadingCandidates,
  toTextCandidates,
} from './targets'

type PlacingOp = 'append' | 'prepend' | 'replace'

const PLACING_OPS: readonly string[] = ['append', 'prepend', 'replace'] satisfies PlacingOp[]
const TEXT_OPS: readonly string[] = ['replace', 'delete', 'insert_before', 'insert_after'] satisfies BodyEdit['op'][]

/**
 * Applies edits to a body, each to the result of the one before. Throws edit_target_missing or edit_target_ambiguous
 * with candidates, or invalid_request; pointers begin with `/edits`.
 */
export function applyEdits(body: string, edits: readonly BodyEdit[]): string {
  return applyEditsInSteps(body, edits).reduce((_, text) => text, body)
}

/** Does the same, but yields the body after each edit, so that the caller can let other requests run in between. */
export function* applyEditsInSteps(body: string, edits: readonly BodyEdit[]): Generator<string, void> {
  edits.forEach((edit, index) => {
    requireValidEdit(edit, `/edits/${index}`)
  })
  let text = body
  for (const [index, edit] of edits.entries()) {
    text = applyEdit(text, edit, `/edits/${index}`)
    yield text
  }
}

/** Throws invalid_request if members do not go together in a way that the schema cannot express. */
function requireValidEdit({ op, target, content, join, create_missing }: BodyEdit, at: string): void {
  const fits = 'text' in target ? TEXT_OPS.includes(op) : 'heading' in target || PLACING_OPS.includes(op)
  if (!fits) throw invalid(`${at}/op`, 'invalid_value', `${op} does not work with this target`)
  if ((content === undefined) !== (op === 'delete'))
    throw invalid(`${at}/content`, 'invalid_value', 'content is needed for every op but delete, which takes none')
  if (join !== undefined && (op === 'delete' || 'text' in target))
    throw invalid(`${at}/join`, 'invalid_value', 'join works only with content at a heading or in the document')
  if (create_missing && !('heading' in target && PLACING_OPS.includes(op)))
    throw invalid(
      `${at}/create_missing`,
      'invalid_value',
      'create_missing works with a heading and append, prepend or replace',
    )
}

function applyEdit(body: string, edit: BodyEdit, at: string): string {
  const { target, op, content = '', join = 'block' } = edit
  if ('text' in target) return editText(body, op, target, content, at)
  if ('heading' in target) return editSection(body, edit, target, at)
  const region = { from: 0, start: 0, end: body.length, headingEnd: null }
  if (op === 'replace') return content.replace(/\r\n|[\r\n]/g, detectLineEnd(body, content))
  return putContent(body, findContentSpan(op as PlacingOp, body, region, join), region, content, join)
}

function editSection(body: string, edit: BodyEdit, target: HeadingTarget, at: string): string {
  const { op, content = '', join = 'block' } = edit
  const sections = listSections(body)
  const found = matchSections(sections, target.heading)
  if (found.length === 0 && edit.create_missing && (target.nth ?? 1) === 1)
    return createSection(body, sections, target, content, join, at)
  const region = toRegion(requireSection(sections, found, target, at), target.scope)
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
  const shown = isAmbiguous ? found : findNearestSections(sections, heading.at(-1) ?? '')
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

function createAmbiguousError(what: 'heading' | 'text', at: string, candidates: readonly EditCandidate[]): ApiError {
  const detail = `More than one ${what} matches the target. Nothing was changed; send one of the candidates.`
  return createTargetError('edit_target_ambiguous', detail, at, candidates)
}

function createMissingError(what: 'heading' | 'text', at: string, candidates: readonly EditCandidate[]): ApiError {
  const detail = `No ${what} matches the target. Nothing was changed; the candidates are the nearest matches.`
  return createTargetError('edit_target_missing', detail, at, candidates)
}

function createTargetError(
  code: 'edit_target_ambiguous' | 'edit_target_missing',
  detail: string,
  at: string,
  candidates: readonly EditCandidate[],
): ApiError {
  return new ApiError(code, detail, { errors: [{ pointer: `${at}/target`, code, detail }], candidates })
}
