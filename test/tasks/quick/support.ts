import { toDay } from '../../../src/lib/civil/day'
import { instantOf } from '../../../src/lib/civil/zone'
import type { QuickContext, QuickParse } from '../../../src/tasks/quick/parse'
import { makeContext as makeTimeContext, readExamples } from '../../lib/civil/words/support'

/** The table of utterances.txt. */
export const readUtterances = (table: string) => readExamples(table, makeContext)

/** What the clock shows, and any of the rest. */
type ContextChanges = Partial<QuickContext> & { readonly today?: string; readonly minutes?: number }

/** Monday, 2 March 2026, 10:00 in Berlin, with two projects, one of them with sections. */
export function makeContext({ today = '2026-03-02', minutes = 600, ...changes }: ContextChanges = {}): QuickContext {
  const { time_zone = 'Europe/Berlin' } = changes
  return {
    ...makeTimeContext(),
    now: instantOf(toDay(today), minutes, time_zone ?? 'UTC'),
    time_zone,
    projectId: null,
    createMissing: false,
    findProject: (name) => PROJECTS.find((project) => project.name.toLowerCase() === name.toLowerCase()) ?? null,
    findSection: (projectId, name) => {
      const section = SECTIONS.find(
        (each) => each.project === projectId && each.name.toLowerCase() === name.toLowerCase(),
      )
      return section ? { id: section.id, name: section.name } : null
    },
    ...changes,
  }
}

const PROJECTS = [
  { id: 'project-home', name: 'Home' },
  { id: 'project-two', name: 'Two words' },
  { id: 'project-cafe', name: 'Café' },
]
const SECTIONS = [
  { id: 'section-garden', project: 'project-home', name: 'Garden' },
  { id: 'section-later', project: 'project-home', name: 'Not now' },
]

/** A parse in one line: the title, then each member that the text set, then the warnings. */
export function describeParse({ title, draft, warnings }: QuickParse): string {
  const { due, start, recurrence } = draft
  return [
    title,
    ...(due ? [`due ${[due.date, due.time].filter(Boolean).join(' ')}`] : []),
    ...(start ? [`start ${start.date}`] : []),
    ...(recurrence ? [`${recurrence.mode === 'completion' ? 'completion' : 'rule'} ${recurrence.rrule}`] : []),
    ...(draft.duration_minutes ? [`for ${draft.duration_minutes}`] : []),
    ...(draft.reminders ?? []).map(({ offset_minutes }) => `remind ${offset_minutes}`),
    ...(draft.priority ? [`!${draft.priority}`] : []),
    ...(draft.project ? [`#${draft.project.name}${draft.project.id ? '' : ' (new)'}`] : []),
    ...(draft.section ? [`/${draft.section.name}${draft.section.id ? '' : ' (new)'}`] : []),
    ...(draft.labels ?? []).map((label) => `@${label}`),
    ...warnings.map(({ code, text }) => `warning ${code} ${text}`),
  ].join(' | ')
}
