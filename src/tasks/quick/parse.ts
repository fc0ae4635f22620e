import { readTime } from '../../lib/civil/words/read'
import { QuickText } from './text'
import type { QuickContext, QuickDraft, QuickParse } from './types'

const MAX_NAME_CHARS = 100
const MAX_LABELS = 50
/** Text in quotes, escaped markers, and words with a web or mail address. */
const LEFT_ALONE =
  /(?<![^\s(])(?:"[^"]+"|“[^“”]+”|`[^`]+`|'[^']+'(?![\p{L}\d]))|(?<!\S)(?:\\[#/@!]\S*|[a-z][a-z\d+.-]*:\/\/\S+|www\.\S+|[^\s@#]+@\S+)/giu
const MARKER = /(?<!\S)([#/@])(?:"([^"]+)"|([^\s"]+))/g
const PRIORITY = /(?<!\S)(?:[!p]([1-4])|!!)(?=[,;:.]?(?:\s|$))/gi

interface Marker {
  readonly start: number
  readonly end: number
  readonly name: string
}

/** Covers the parts that must not be searched. Of an escaped marker only the backslash is taken out of the title. */
function protect(text: QuickText): void {
  for (const { 0: found, index } of text.rest.matchAll(LEFT_ALONE)) {
    const escaped = found.startsWith('\\')
    if (escaped) text.take(index, index + 1, 'escape', found.charAt(1))
    text.keep(escaped ? index + 1 : index, index + found.length)
  }
}

/** Takes `#project`, `/section`, `@label` and the priority, and fills the draft with them. */
function takeMarkers(text: QuickText, context: QuickContext, draft: QuickDraft): void {
  const markers = [...text.rest.matchAll(MARKER)].flatMap((match) => readMarker(text, match) ?? [])
  const of = (sign: string) => markers.filter(({ start }) => text.slice(start, start + 1) === sign)
  for (const marker of of('#')) takeProject(text, context, draft, marker)
  for (const marker of of('/')) takeSection(text, context, draft, marker)
  for (const marker of of('@')) takeLabel(text, draft, marker)
  takePriority(text, draft)
}

/**
 * Reads a marker; null if it is none. A quoted name can be anything. A word needs a letter or a character beyond ASCII
 * (not `#42`), no other slash or at sign (not `/usr/bin` or `@types/node`), and must not be a time (`@3pm`).
 */
function readMarker(text: QuickText, match: RegExpExecArray): Marker | null {
  const [whole, , quoted, word = ''] = match
  const start = match.index
  const plain = word.replace(/[.,;:!?)]+$/, '')
  if (quoted === undefined && (!/[^!-@[-`{-~]/.test(plain) || /[/@]|^\d+(?::\d+)?[ap]m$/i.test(plain))) return null
  const name = (quoted ?? plain).normalize('NFC').replace(/\s+/g, ' ').trim()
  const end = start + (quoted === undefined ? 1 + plain.length : whole.length)
  if (name === '' || [...name].length <= MAX_NAME_CHARS) return name === '' ? null : { start, end, name }
  text.keep(start, end, 'name_too_long')
  return null
}

function takeProject(text: QuickText, context: QuickContext, draft: QuickDraft, { start, end, name }: Marker): void {
  const found = context.findProject(name)
  if (draft.project) text.keep(start, end, 'already_set')
  else if (!found && !context.createMissing) text.keep(start, end, 'unknown_project')
  else if (found?.isArchived) text.keep(start, end, 'archived_project')
  else {
    draft.project = { id: found?.id ?? null, name: found?.name ?? name }
    text.take(start, end, 'project', draft.project.id)
  }
}

function takeSection(text: QuickText, context: QuickContext, draft: QuickDraft, { start, end, name }: Marker): void {
  const projectId = draft.project ? draft.project.id : context.projectId
  const isNewProject = draft.project?.id === null
  const found = isNewProject ? null : context.findSection(projectId, name)
  // A section belongs to a project: without one it cannot be created.
  const canCreate = context.createMissing && (isNewProject || projectId !== null)
  if (draft.section) text.keep(start, end, 'already_set')
  else if (!found && !canCreate) text.keep(start, end, 'unknown_section')
  else {
    draft.section = found ?? { id: null, name }
    text.take(start, end, 'section', draft.section.id)
  }
}

/** Takes a label. Labels are compared without case, so a name that occurs twice is added once. */
function takeLabel(text: QuickText, draft: QuickDraft, { start, end, name }: Marker): void {
  const labels = draft.labels ?? []
  const known = labels.some((label) => label.toLowerCase() === name.toLowerCase())
  if (!known && labels.length === MAX_LABELS) text.keep(start, end, 'too_many_labels')
  else {
    if (!known) draft.labels = [...labels, name]
    text.take(start, end, 'label', name)
  }
}

function takePriority(text: QuickText, draft: QuickDraft): void {
  for (const { 0: found, 1: digit, index } of text.rest.matchAll(PRIORITY)) {
    const end = index + found.length
    if (draft.priority !== undefined) {
      text.keep(index, end, 'already_set')
      continue
    }
    draft.priority = Number(digit ?? 1)
    text.take(index, end, 'priority', draft.priority)
  }
}

/** Takes what the text says about time, from its end on, so that each part knows what is left after it. */
function takeWhen(text: QuickText, context: QuickContext, draft: QuickDraft): void {
  const { due, start, duration_minutes, recurrence, reminders, spans, warnings } = readTime(text.rest, context)
  for (const span of spans.toReversed()) text.take(span.start, span.end, span.kind, span.value)
  for (const warning of warnings) text.keep(warning.start, warning.end, warning.code)
  if (due) draft.due = due
  if (start) draft.start = start
  if (recurrence) draft.recurrence = recurrence
  if (duration_minutes !== null) draft.duration_minutes = duration_minutes
  if (reminders.length > 0) draft.reminders = [...reminders]
}

/**
 * Reads one line of quick add. Never throws, and depends only on the text and the context, so the same input always
 * gives the same result. Understood parts leave the title and become spans; parts that only look alike stay, with a
 * warning.
 */
export function parseQuick(line: string, context: QuickContext): QuickParse {
  const text = new QuickText(line)
  const draft: QuickDraft = {}
  protect(text)
  takeMarkers(text, context, draft)
  takeWhen(text, context, draft)
  return { title: text.title(), draft, spans: text.spans(), warnings: text.warnings() }
}
