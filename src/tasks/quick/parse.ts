import { readTime, type TimeContext } from '../../lib/civil/words/read'
import {
  type ReadDay,
  type ReadRecurrence,
  type ReadReminder,
  TIME_WARNINGS,
  type TimeSpan,
  type TimeWarningCode,
} from '../../lib/civil/words/reading'
import { COVERED, SEALED } from '../../lib/civil/words/tokens'

/** The current time and the data of the workspace that quick add needs. All functions are synchronous. */
export interface QuickContext extends TimeContext {
  /** The project of the request, in which a section is looked up when the text names no project. */
  readonly projectId: string | null
  readonly createMissing: boolean
  /** Returns the project with that name outside the trash, compared without case. */
  findProject(name: string): { readonly id: string; readonly name: string; readonly isArchived?: boolean } | null
  /** Returns the section with that name in the project (null: the inbox), compared without case. */
  findSection(projectId: string | null, name: string): { readonly id: string; readonly name: string } | null
}

/** A project or section; `id` is null if it must be created. */
interface QuickPlace {
  readonly id: string | null
  readonly name: string
}

/** The members of the task that the text sets; others are absent. */
export interface QuickDraft {
  priority?: number
  due?: ReadDay
  /** From a range of days: `5-7 May`. */
  start?: ReadDay
  duration_minutes?: number
  recurrence?: ReadRecurrence
  reminders?: ReadReminder[]
  labels?: string[]
  project?: QuickPlace
  section?: QuickPlace
}

export type QuickKind = TimeSpan['kind'] | 'project' | 'section' | 'label' | 'priority' | 'escape'

/**
 * A part of the text that was understood. `start` and `end` count code points, end exclusive; `text` is the part
 * itself. `value` is what it set: an id (null: must be created), a name, a number, a date, a time, a reminder or the
 * recurrence.
 */
export interface QuickSpan {
  readonly start: number
  readonly end: number
  readonly kind: QuickKind
  readonly text: string
  readonly value: TimeSpan['value'] | null
}

export type QuickWarningCode =
  | TimeWarningCode
  | 'unknown_project'
  | 'archived_project'
  | 'unknown_section'
  | 'name_too_long'
  | 'too_many_labels'

/** A part that looked like e.g. a date but stays in the title; offsets as in a span. */
export interface QuickWarning {
  readonly code: QuickWarningCode
  readonly start: number
  readonly end: number
  readonly text: string
  readonly detail: string
}

/** The result of parsing. `title` can be empty (the service throws empty_title) or too long. */
export interface QuickParse {
  readonly title: string
  readonly draft: QuickDraft
  readonly spans: readonly QuickSpan[]
  readonly warnings: readonly QuickWarning[]
}

const AT_END = new RegExp(`^[\\s${COVERED}]*$`)
/** What would be left over before what is taken at the end: a comma, a dash. */
const COMMA = /(?:[,;]|(?<=\s)[-–—|]+)\s*$/
/** The same after what is taken at the beginning. */
const DASH = /^\s+[-–—|]+(?=\s)/
const SPACE = /\s$/
const NOTHING = /$/

const DETAILS: Record<QuickWarningCode, string> = {
  ...TIME_WARNINGS,
  unknown_project: 'there is no project of this name',
  archived_project: 'the project of this name is archived',
  unknown_section: 'there is no section of this name',
  name_too_long: 'a name has at most 100 characters',
  too_many_labels: 'a task has at most 50 labels',
}

interface Found {
  readonly start: number
  readonly end: number
  readonly kind: QuickKind
  readonly value: QuickSpan['value']
}

/** Positions are UTF-16 units; `spans` and `warnings` convert them to code points. */
class QuickText {
  /** The text with all taken and kept ranges covered, at its length. Nothing is found in or across covered text. */
  rest: string
  readonly #text: string
  readonly #found: Found[] = []
  readonly #warned: { code: QuickWarningCode; start: number; end: number; detail: string }[] = []

  constructor(text: string) {
    this.#text = text
    this.rest = text
  }

  slice(start: number, end: number): string {
    return this.#text.slice(start, end)
  }

  /**
   * Takes a range out of the title, together with brackets around it and punctuation that would be left over: that
   * after it, or at the end of the text that before it. Before `!` and `?`, which stay, it takes the space.
   */
  take(start: number, end: number, kind: QuickKind, value: QuickSpan['value']): void {
    const bracketed = ['()', '[]'].includes(`${this.rest[start - 1]}${this.rest[end]}`)
    const open = bracketed ? start - 1 : start
    const close = bracketed ? end + 1 : end
    const [before, after] = kind === 'escape' ? ['', ''] : [this.rest.slice(0, open), this.rest.slice(close)]
    const first =
      open - (before.match(AT_END.test(after) ? COMMA : /^[!?]/.test(after) ? SPACE : NOTHING)?.[0].length ?? 0)
    const dash = AT_END.test(before) ? (after.match(DASH)?.[0].length ?? 0) : 0
    const last = /^[,;:.](?:\s|$)/.test(after) ? close + 1 : close + dash
    this.#found.push({ start: first, end: last, kind, value })
    this.#cover(first, last, COVERED)
  }

  /** Keeps a range in the title, with or without a warning; nothing else is found in it. */
  keep(start: number, end: number, code?: QuickWarningCode, detail?: string): void {
    if (code) this.#warned.push({ code, start, end, detail: detail ?? DETAILS[code] })
    this.#cover(start, end, SEALED)
  }

  title(): string {
    const outside = this.#ordered().reduceRight(
      (text, { start, end }) => text.slice(0, start) + text.slice(end),
      this.#text,
    )
    return outside.replace(/\s+/g, ' ').trim()
  }

  spans(): QuickSpan[] {
    const at = createCodePointIndex(this.#text)
    return this.#ordered().map(({ start, end, kind, value }) => {
      return { start: at(start), end: at(end), kind, text: this.#text.slice(start, end), value }
    })
  }

  warnings(): QuickWarning[] {
    const at = createCodePointIndex(this.#text)
    const ordered = this.#warned.toSorted((a, b) => a.start - b.start)
    return ordered.map(({ code, start, end, detail }) => {
      return { code, start: at(start), end: at(end), text: this.#text.slice(start, end), detail }
    })
  }

  #ordered(): Found[] {
    return this.#found.toSorted((a, b) => a.start - b.start)
  }

  #cover(start: number, end: number, cover: string): void {
    this.rest = this.rest.slice(0, start) + cover.repeat(end - start) + this.rest.slice(end)
  }
}

/** Returns a function that converts positions in UTF-16 units to positions in code points. */
function createCodePointIndex(text: string): (position: number) => number {
  const counts = new Uint32Array(text.length + 1)
  let count = 0
  let position = 0
  for (const character of text) {
    for (const _ of character.split('')) counts[position++] = count
    count++
  }
  counts[position] = count
  return (at) => counts[at] ?? count
}

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
  const { due, start: first, duration_minutes, recurrence, reminders, spans, warnings } = readTime(text.rest, context)
  for (const span of spans.toReversed()) text.take(span.start, span.end, span.kind, span.value)
  for (const { start, end, code, detail } of warnings) text.keep(start, end, code, detail)
  if (due) draft.due = due
  if (first) draft.start = first
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
