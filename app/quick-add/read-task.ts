/** Reads a line of quick add as the server does, with the projects and sections of the copy. */

import { toDay } from '../../src/lib/civil/day'
import { readReminderOffset, readTime } from '../../src/lib/civil/words/read'
import type { TimeReading } from '../../src/lib/civil/words/reading'
import { instantOf, parseTimeOfDay } from '../../src/lib/civil/zone'
import { findFirstDate } from '../../src/lib/recurrence/slots'
import { titleKey } from '../../src/lib/text'
import { parseQuick, type QuickParse } from '../../src/tasks/quick/parse'
import type { Reminder } from '../api/types'
import type { Copy } from '../data/copy'
import { say } from '../words/say'
import { whyNot } from './warnings'

/** How words of time are read. */
export interface ReadingSettings {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly timeZone: string
  readonly language: 'en' | 'de' | 'fr' | 'es'
}

/** Reads a line. `projectId` is the project that is open: sections are looked for in it; null: the inbox. */
export function readTask(line: string, copy: Copy, settings: ReadingSettings, projectId: string | null): QuickParse {
  const { task_project, task_section } = copy.shown
  const named = <Place extends { name: string }>(places: Iterable<Place>, name: string) =>
    [...places].find((place) => titleKey(place.name) === titleKey(name)) ?? null
  const parse = parseQuick(line, {
    now: settings.now,
    time_zone: settings.timeZone,
    preferred: settings.language,
    dateOrder: null,
    firstOccurrence: findFirstDate,
    projectId,
    createMissing: false,
    findProject: (name) => {
      const project = named(task_project.peek().values(), name)
      return project && { id: project.id, name: project.name, isArchived: project.archived_at !== null }
    },
    findSection: (project, name) =>
      named(
        [...task_section.peek().values()].filter(({ project_id }) => project_id === project),
        name,
      ),
  })
  const { labels } = parse.draft
  return labels ? { ...parse, draft: { ...parse.draft, labels: labels.map((label) => spelled(label, copy)) } } : parse
}

/** A label as it was first written: the server keeps that, whatever the case of the letters. */
function spelled(label: string, { shown }: Copy): string {
  const isSame = (name: string) => titleKey(name) === titleKey(label)
  for (const { name } of shown.task_label.peek().values()) if (isSame(name)) return name
  // One that has not reached the server.
  for (const task of shown.task.peek().values()) for (const name of task.labels) if (isSame(name)) return name
  return label
}

/** What a text says about time; or a sentence why it cannot be taken, about the words that were not understood. */
export function readWhen(text: string, { now, timeZone, language }: ReadingSettings): TimeReading | string {
  const reading = readTime(text, {
    now,
    time_zone: timeZone,
    preferred: language,
    dateOrder: null,
    firstOccurrence: findFirstDate,
  })
  const warning = reading.warnings.find(({ code }) => code !== 'hour_assumed')
  if (warning) return say`“${text.slice(warning.start, warning.end)}”: ${whyNot(warning.code, warning.detail)}.`
  const rest = reading.spans.reduceRight(
    (left, { start, end }) => left.slice(0, start) + ' '.repeat(end - start) + left.slice(end),
    text,
  )
  const [unread] = /[^\s\p{P}](?:.*[^\s\p{P}])?/su.exec(rest) ?? []
  if (unread !== undefined) return say`“${unread}” was not understood.`
  return reading.due ? reading : say`This names no date.`
}

/** A reminder in words: how long before the due date, or a day with a time. Else a sentence why it cannot be taken. */
export function readReminder(text: string, settings: ReadingSettings): Reminder | string {
  const { now, timeZone, language } = settings
  const minutes = readReminderOffset(text, { now, time_zone: timeZone, preferred: language, dateOrder: null })
  if (minutes !== null) return { at: null, offset_minutes: -minutes, from: 'due' }
  const reading = readWhen(text, settings)
  if (typeof reading === 'string') return reading
  const { due, recurrence } = reading
  if (!due || recurrence) return say`A reminder comes once: “2 days before”, or a day with a time.`
  if (due.time === null) return say`A reminder needs a time, such as 9am.`
  const at = instantOf(toDay(due.date), parseTimeOfDay(due.time), due.time_zone ?? timeZone)
  return { at: new Date(at).toISOString(), offset_minutes: null, from: null }
}
