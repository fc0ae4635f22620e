import type { TimeLanguage } from '../../lib/civil/day'
import type { TimeContext } from '../../lib/civil/words/read'
import { FileFault } from '../../lib/file-fault'
import type { CalendarItem, ItemMembers, ItemWarning, Warn } from '../../lib/ical/item'
import { type ItemPlace, readItemNotes, readLabels, readTitle, writePlaceLines } from '../../lib/ical/members'
import { escapeText } from '../../lib/ical/text'

/** The formats of files that tasks are imported from; each is the `system` of the sources of its tasks. */
export type TaskFileFormat = 'ical' | 'todoist' | 'todo.txt'

/** A task of a file. `parent_uid` is set whether the task names its parent or the parent names it. */
export interface TodoItem extends Omit<CalendarItem, 'child_uids'> {
  readonly system: TaskFileFormat
  /** Identifies what the file says, where members depend on the time of the import, as `tomorrow` does; else null. */
  readonly digest: string | null
  /** UIDs under which the line was known before it was finished, if the file has no such open line now. */
  readonly former_uids: readonly string[]
  /** The file of the line; null in a calendar, whose UIDs are the same in every file. */
  readonly file: LineFile | null
}

/** What identifies a file of lines, which have no UIDs: texts are compared within a file, never across files. */
export interface LineFile {
  /** Digest of the project of the import and of the name of the file, or of its content if it has neither. */
  readonly base: string
  readonly first: string
  /** Lines from all parts of the file; only the first line has them. */
  readonly sample: readonly SampleLine[]
}

/** What shows whether a file is a later version of one that was imported before. */
export interface SampleLine extends Pick<TodoItem, 'uid' | 'former_uids'> {
  readonly digest: string
}

/** The parameters of an import that a reader of lines needs: how to read words of time, unless a line says so. */
export interface LineContext extends Pick<TimeContext, 'now' | 'time_zone'> {
  readonly language: TimeLanguage
  /** The project of tasks for which the file names none; null is the inbox. */
  readonly project_id: string | null
  /** The name of the file; null if the request has none. */
  readonly file_name: string | null
}

/** What a line of text says of a task, before the limits of tasks. */
export interface LineDraft
  extends Partial<Omit<ItemMembers, 'title' | 'notes' | 'labels'>>,
    Pick<ItemMembers, 'title'>,
    Partial<Pick<CalendarItem, 'parent_uid'>> {
  readonly notes: string
  readonly labels: readonly string[]
  readonly place: ItemPlace | null
  readonly uid: string
  readonly former_uids?: readonly string[]
  readonly raw: unknown
}

const NOTHING: Omit<ItemMembers, 'title' | 'notes' | 'labels'> = {
  ...{ status: 'open', priority: 0, due: null, start: null, duration_minutes: null, recurrence: null, reminders: [] },
  ...{ created_at: null, updated_at: null, completed_at: null, cancelled_at: null },
}

/** Returns the item of a line within the limits of tasks; what exceeds them is reported by warnings. */
export function toLineItem(
  system: TaskFileFormat,
  draft: LineDraft,
  file: LineFile,
  warned: readonly ItemWarning[],
): TodoItem {
  const {
    title: summary,
    notes: text,
    labels,
    place,
    uid,
    raw,
    parent_uid = null,
    former_uids = [],
    ...members
  } = draft
  const warnings = [...warned]
  const warn: Warn = (code, detail) => warnings.push({ code, detail })
  const { title, above } = readTitle(summary, text, warn)
  return {
    ...{ system, uid, parent_uid, recurrence_id: null, revision: null, blocked_by_uids: [], priority_read: null },
    members: {
      ...NOTHING,
      ...members,
      title,
      notes: readItemNotes(above + text, warn),
      labels: readLabels([{ raw: labels.map(escapeText).join() }], warn),
    },
    rest: writePlaceLines(place).join('\n'),
    digest: hashOf(raw),
    former_uids,
    file: uid === file.first ? file : { ...file, sample: [] },
    warnings,
  }
}

/** Returns the UID of a line within its file. @param count how many lines before it have the same text */
export const toLineUid = (text: string, count: number): string => hashOf([text, count]).slice(0, 32)

export class TextCounts {
  readonly #counts = new Map<string, number>()

  next(text: string): number {
    const count = this.get(text)
    this.#counts.set(text, count + 1)
    return count
  }

  get(text: string): number {
    return this.#counts.get(text) ?? 0
  }
}

/** Lines of a sample: at least half as many, if the file has them. */
const MAX_SAMPLE_LINES = 200

/**
 * Identifies a file by its name and the project of the import, or by its content if it has neither.
 * @param lines all lines; those with `repeats` are in no sample, since their dates move on by themselves
 */
export function identifyFile(
  text: string,
  { project_id, file_name }: LineContext,
  lines: Iterable<SampleLine & { readonly repeats: boolean }>,
): LineFile {
  let [first, sample, every, count]: [string | null, SampleLine[], number, number] = [null, [], 1, 0]
  for (const { repeats, ...line } of lines) {
    first ??= line.uid
    if (repeats || count++ % every !== 0) continue
    sample.push(line)
    if (sample.length <= MAX_SAMPLE_LINES) continue
    sample = sample.filter((_, index) => index % 2 === 0)
    every *= 2
  }
  const name = file_name?.normalize('NFC') ?? null
  const base = hashOf(name === null && project_id === null ? [text] : [project_id, name])
  return { base, first: first ?? '', sample }
}

/** The warning about a file that only its content identifies. */
export function warnNameless({ project_id, file_name }: LineContext): ItemWarning[] {
  if (project_id !== null || file_name !== null) return []
  const detail =
    'The file came without its name. A changed version of it will be taken for another file: with file_name it updates these tasks.'
  return [{ code: 'no_file_name', detail }]
}

export function hashOf(value: unknown): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(value)).digest('base64url')
}

/** Decodes a file in UTF-8, without its byte order mark. @throws FileFault archive_refused */
export function decodeLines(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new FileFault('archive_refused', 'The file is not text in UTF-8.')
  }
}
