/** What quick add makes of a line without network is what the server makes of it. */
import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { signal } from '@preact/signals'
import fc from 'fast-check'
import type { Label, Project, Task, TaskSection } from '../../app/api/types'
import type { Copy } from '../../app/data/copy'
import { newId } from '../../app/data/ids'
import { applyToTask, type Write } from '../../app/data/writes'
import { type ReadingSettings, readTask } from '../../app/quick-add/read-task'
import { taskOf } from '../../app/quick-add/task-of'
import type { QuickAdded } from '../../src/tasks/quick/quick-add'
import { part, runs } from '../support/full'
import { MANY_CALLERS, makeKey, makeWorld } from '../support/world'
import { readUtterances } from '../tasks/quick/support'

const world = await makeWorld({ settings: MANY_CALLERS })
afterAll(() => world.close())

const LANGUAGES = ['en', 'de', 'fr', 'es'] as const
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kiritimati',
]
/** Changes of the clocks, ends of months and of years, a leap day, and the minutes around midnight. */
const MOMENTS = [
  '2026-03-02T09:00:00Z',
  '2026-03-08T06:59:30Z',
  '2026-03-28T23:30:00Z',
  '2026-03-29T00:59:59Z',
  '2026-04-04T14:45:00Z',
  '2026-10-03T15:15:00Z',
  '2026-10-25T00:30:00Z',
  '2026-11-01T05:30:00Z',
  '2026-12-31T22:59:59Z',
  '2026-12-31T23:00:00Z',
  '2027-01-31T12:00:00Z',
  '2028-02-28T23:59:00Z',
  '2028-02-29T10:00:00Z',
].map((moment) => Date.parse(moment))

const LINES = readUtterances(readFileSync(join(import.meta.dir, '../tasks/quick/utterances.txt'), 'utf8')).map(
  ({ text }) => text,
)

/** A workspace in each language, with places that lines name: one is in the archive, and two have sections of one name. */
const workspaces = await Promise.all(
  LANGUAGES.map(async (language, at) => {
    const me = { key: makeKey(at + 1) }
    const send = async (method: string, path: string, body?: object) => {
      const answer = await world.call(me, method, path, body)
      if (answer.status >= 300) throw new Error(JSON.stringify(answer.body))
      return answer.body
    }
    // English is what none is read as.
    if (language !== 'en') await send('PATCH', '/api/workspace/settings', { language, time_zone: 'Asia/Tokyo' })
    const projects: Project[] = []
    for (const name of ['Home', 'Two words', 'Café', 'Old'])
      projects.push(await send('POST', '/api/tasks/projects', { name }))
    const old = projects.pop() as Project
    projects.push(
      await send('PATCH', `/api/tasks/projects/${old.id}`, { archived_at: new Date(world.clock.now).toISOString() }),
    )
    const sections: TaskSection[] = []
    for (const [place, name] of [
      [0, 'Garden'],
      [0, 'Not now'],
      [1, 'Garden'],
    ] as const)
      sections.push(await send('POST', '/api/tasks/sections', { project_id: projects[place]?.id, name }))
    const byId = <Each extends { id: string }>(all: readonly Each[]) =>
      signal(new Map(all.map((each) => [each.id, each])))
    const shown = {
      task_project: byId(projects),
      task_section: byId(sections),
      task_label: byId<Label>([]),
      task: byId<Task>([]),
    }
    const copy = { shown } as never as Copy
    return { language, me, copy, shown, places: [null, projects[0]?.id ?? null, projects[1]?.id ?? null] }
  }),
)
type Place = (typeof workspaces)[number]

/** Adds a line as the app does, and has the server read it. */
async function compare(
  line: string,
  { me, copy, shown: tables, language }: Place,
  now: number,
  timeZone: string,
  project: string | null,
) {
  world.clock.now = now
  const settings: ReadingSettings = { now, timeZone, language }
  const parse = readTask(line, copy, settings, project)
  const data = taskOf(line, parse, project)
  const there = await world.call(me, 'POST', '/api/tasks/quick', {
    text: line,
    time_zone: timeZone,
    project_id: project,
    dry_run: true,
  })
  if (typeof data === 'string') {
    expect([line, there.body.code]).toEqual([line, parse.title === '' ? 'empty_title' : 'invalid_request'])
    return null
  }
  expect([line, there.status, there.body.detail]).toEqual([line, 200, undefined])
  const read: QuickAdded = there.body
  expect([parse.spans, parse.warnings] as unknown).toEqual([read.spans, read.warnings])
  const write = { type: 'task', op: { op: 'create', id: newId(), data } } satisfies Write
  const { body } = await world.call(me, 'POST', '/api/tasks/batch', { atomic: false, ops: [write.op] })
  const made: Task = body.items[0].body
  expect(comparable(made)).toEqual(comparable(read.task))
  tables.task.peek().set(made.id, made)
  const { due_at: _, ...shown } = comparable(applyToTask(null, write, now) as Task)
  const { due_at: __, ...answered } = comparable(made)
  expect(shown).toEqual(answered)
  return parse
}

/** A task without what is its own, such as its id, and what the server places. */
function comparable({ id: _, revision: __, created_at: ___, updated_at: ____, position: _____, ...task }: Task) {
  return task
}

/** What means something in each language, and what nearly does. */
const WORDS: Readonly<Record<Place['language'], readonly string[]>> = {
  en: [
    'tomorrow',
    'next friday',
    'every other tue',
    'last day of every month',
    '9am',
    'in 90 min',
    'at 2:30',
    'tonight',
  ],
  de: [
    'morgen',
    'nächsten Freitag',
    'jeden zweiten Dienstag',
    'übermorgen um 9',
    'in 3 Tagen',
    '2:30 Uhr',
    'heute Abend',
  ],
  fr: ['demain', 'vendredi prochain', 'tous les mardis', 'à 9h', 'dans 3 jours', '2h30', 'ce soir', 'chaque mois'],
  es: ['mañana', 'el próximo viernes', 'cada martes', 'a las 9', 'en 3 días', 'a las 2:30', 'esta noche', 'cada mes'],
}
const MARKS = [
  ...'#Home|#old|/Garden|/"Not now"|@Büro|@büro|!1|p4|"tomorrow"|\\#x|#|@|::|🏠|2026-03-29T02:30|29 feb'.split('|'),
  ...'31.12.|03/04|25:00|24:00|for 45 min|remind 1 h before|Ana|ana'.split('|'),
]
/** A place in the table of moments, of zones, or of projects. */
const place = fc.nat({ max: 1000 })
const at = <Value>(values: readonly Value[], number: number) => values[number % values.length] as Value

describe('a line is read here as on the server', () => {
  test.each(workspaces)('in a workspace of the language $language, by the table of lines', async (workspace) => {
    const own = LANGUAGES.indexOf(workspace.language)
    const chosen = new Set(part(LINES))
    let understood = 0
    for (const [number, line] of LINES.entries()) {
      // The table is English: of the other languages each has a part of it.
      if (own > 0 ? number % LANGUAGES.length !== own : !chosen.has(line)) continue
      const parse = await compare(line, workspace, at(MOMENTS, number), at(ZONES, number), at(workspace.places, number))
      if (parse && parse.spans.length > 0) understood += 1
    }
    expect(understood).toBeGreaterThan(20)
  })

  test.each(workspaces)('in a workspace of the language $language, whatever it is made of', async (workspace) => {
    const piece = fc.constantFrom('Call mum', ...WORDS[workspace.language], ...WORDS[workspace.language], ...MARKS)
    let understood = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { minLength: 1, maxLength: 6 }),
        place,
        place,
        place,
        async (parts, ...numbers) => {
          const [moment, zone, project] = numbers
          const parse = await compare(
            parts.join(' '),
            workspace,
            at(MOMENTS, moment),
            at(ZONES, zone),
            at(workspace.places, project),
          )
          if (parse?.draft.due) understood += 1
        },
      ),
      { numRuns: runs(80) },
    )
    expect(understood).toBeGreaterThan(runs(80) / 3)
  })

  test('which says nothing, or too much for a title', async () => {
    const [workspace] = workspaces
    if (!workspace) throw new Error('There is no workspace')
    for (const line of ['tomorrow', '@home !1', '', ' ', 'a'.repeat(501), `${'é'.repeat(501)} tomorrow`])
      expect([line, await compare(line, workspace, at(MOMENTS, 0), 'UTC', null)]).toEqual([line, null])
    for (const line of ['a', 'é'.repeat(500), `tomorrow ${'🏠'.repeat(500)}`])
      expect(await compare(line, workspace, at(MOMENTS, 0), 'UTC', null)).not.toBeNull()
  })
})
