import { createHash } from 'node:crypto'
import type { TimeContext, TimeLanguage } from '../../lib/civil/words/read'
import { FileFault } from '../../lib/file-fault'
import type { CalendarItem, ItemMembers, ItemWarning, Warn } from '../../lib/ical/item'
import { type ItemPlace, writePlaceLines } from '../../lib/ical/place'
import { escapeText } from '../../lib/ical/text'
import { readItemNotes, readLabels, readTitle } from '../../lib/ical/texts'

/** The formats of files that tasks are imported from; each is the `system` of the sources of its tasks. */
export type TaskFileFormat = 'ical' | 'todoist' | 'todo.txt'

/** A task of a file. `parent_uid` is set whether the task names its parent or the parent names it. */
export interface TodoItem extends Omit<CalendarItem, 'child_uids'> {
  readonly system: TaskFileFormat
  /**
   * Identifies what the file says of the task, where its members also depend on the time of the import, as `tomorrow`
   * does; else null.
   */
  readonly digest: string | null
}

/** The parameters of an import that a reader of lines needs: how to read words of time, unless a line says so. */
export interface LineContext extends Pick<TimeContext, 'now' | 'time_zone'> {
  readonly language: TimeLanguage
  /** The project of tasks for which the file names none; null is the inbox. */
  readonly project_id: string | null
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
  /** The line as it is in the file. */
  readonly raw: unknown
}

const NOTHING: Omit<ItemMembers, 'title' | 'notes' | 'labels'> = {
  ...{ status: 'open', priority: 0, due: null, start: null, duration_minutes: null, recurrence: null, reminders: [] },
  ...{ created_at: null, updated_at: null, completed_at: null, cancelled_at: null },
}

/** Returns the item of a line within the limits of tasks; what exceeds them is reported by warnings. */
export function toLineItem(system: TaskFileFormat, draft: LineDraft, warned: readonly ItemWarning[]): TodoItem {
  const { title: summary, notes: text, labels, place, uid, raw, parent_uid = null, ...members } = draft
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
    warnings,
  }
}

/**
 * Gives the lines of a file ids that a repeat of the import finds again: of their texts, and of how many lines before have
 * the same text.
 */
export class LineIds {
  readonly #counts = new Map<string, number>()

  next(text: string): string {
    const count = this.#counts.get(text) ?? 0
    this.#counts.set(text, count + 1)
    return hashOf([text, count]).slice(0, 32)
  }
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url')
}

/** Decodes a file in UTF-8, without its byte order mark. @throws FileFault archive_refused */
export function decodeLines(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new FileFault('archive_refused', 'The file is not text in UTF-8.')
  }
}
