import fc from 'fast-check'
import type { As } from '../support/world'
import type { TaskArchiveWorld } from './archive-support'
import { day, type Shown } from './support'

/** What callers do with tasks, as many steps as come; what is refused changes nothing. */

const steps = [
  ...['create', 'create', 'create', 'part', 'part', 'repeat', 'repeat', 'edit', 'block', 'block', 'move', 'label'],
  ...['complete', 'complete', 'complete', 'skip', 'undo', 'cancel', 'reopen', 'trash', 'restore', 'erase'],
  ...['project', 'section', 'inProject', 'inProject', 'archive', 'trashProject', 'trashWithTasks', 'restoreProject'],
  ...['trashSection', 'renameLabel', 'trashLabel', 'filter', 'trashFilter', 'note', 'import'],
] as const

export interface Step {
  readonly what: (typeof steps)[number]
  readonly a: number
  readonly b: number
}

export const someSteps = (most: number) =>
  fc.array(fc.record({ what: fc.constantFrom(...steps), a: fc.nat(40), b: fc.nat(40) }), {
    minLength: most / 2,
    maxLength: most,
    size: 'max',
  })

/**
 * A bit of everything, to begin with: two projects (one goes to the trash with its tasks), a tree whose whole repeats and
 * was done with its parts, an edge that counts from a completion, a task in the trash with its part.
 */
export async function begin(world: TaskArchiveWorld, as: As): Promise<void> {
  const { asked, clock, make } = world
  const made = async (path: string, body: object): Promise<string> => (await asked(as, 'POST', path, body)).id
  const after = (path: string, body: object = {}) => {
    clock.now += 3_000
    return asked(as, 'POST', path, body)
  }
  const [kept, gone] = [
    await made('/api/tasks/projects', { name: 'Kept' }),
    await made('/api/tasks/projects', { name: 'Gone' }),
  ]
  const [here, there] = [
    await made('/api/tasks/sections', { project_id: kept, name: 'Here' }),
    await made('/api/tasks/sections', { project_id: gone, name: 'There' }),
  ]
  const buy = (await make(as, { title: 'Buy', ...dates(3), ...repeating(1), section_id: here, project_id: kept })).id
  const feed = (await make(as, { title: 'Feed', ...dates(0), ...repeating(1), blocked_by: [buy], labels: ['Cat'] })).id
  const parts = [
    await make(as, { parent_id: feed, due: day('2026-02-28') }),
    await make(as, { parent_id: feed, status: 'in_progress' }),
  ]
  await after(`/api/tasks/${buy}/complete`)
  await after(`/api/tasks/${parts[0].id}/complete`)
  await after(`/api/tasks/${feed}/complete`)
  await after(`/api/tasks/${buy}/skip`)
  const left = (await make(as, { title: 'Left', project_id: gone, section_id: there, ...dates(2) })).id
  await make(as, { parent_id: left, blocked_by: [feed, parts[1].id] })
  await asked(as, 'DELETE', `/api/tasks/projects/${gone}?tasks=trash`)
  const whole = (await make(as, { title: 'Whole' })).id
  const part = await make(as, { parent_id: whole })
  await make(as, { parent_id: part.id })
  await asked(as, 'DELETE', `/api/tasks/${whole}`)
  const twice = (await make(as, { title: 'Twice', labels: ['Cat', 'dog'] })).id
  await make(as, { parent_id: twice })
  await after(`/api/tasks/${twice}/complete`, { subtasks: 'complete' })
  const once = (await make(as, { title: 'Once' })).id
  await asked(as, 'POST', '/api/tasks/filters', { name: 'F', filter: '@Cat' })
  await asked(as, 'DELETE', `/api/tasks/${once}`)
}

/** Takes the steps, each some seconds after the other. `start` names what this run makes. */
export async function take(world: TaskArchiveWorld, as: As, all: readonly Step[], start = 'n'): Promise<void> {
  const { asked, clock } = world
  const pools = await poolsOf(world, as)
  const to = (path: string, body?: object) => asked(as, 'POST', path, body ?? {})
  for (const [n, { what, a, b }] of all.entries()) {
    clock.now += 7_000
    const [one, other] = [pick(pools.tasks, a), pick(pools.tasks, b)]
    const [project, section, label] = [pick(pools.projects, a), pick(pools.sections, a), pick(pools.labels, a)]
    const path = `/api/tasks/${one}`
    const make = async (body: object) =>
      pools.tasks.push((await to('/api/tasks', { title: `T ${n}`, ...body }))?.id ?? '')
    const acts: Record<Step['what'], () => Promise<unknown>> = {
      create: () =>
        make({ priority: a % 5, notes: 'x'.repeat(b), labels: a % 2 ? ['home', `l${b % 4}`] : [], ...dates(a) }),
      part: () => make({ parent_id: one }),
      repeat: () => make({ ...dates(4 * a + 3), ...repeating(b), ...(b % 2 ? { parent_id: one } : {}) }),
      edit: () => asked(as, 'PATCH', path, { title: `E ${n}`, duration_minutes: b + 1, ...dates(b) }),
      block: () => asked(as, 'PATCH', path, { blocked_by: [...new Set([other, pick(pools.tasks, a + b)])] }),
      move: () => to(`${path}/move`, a % 3 ? { parent_id: b % 2 ? other : null } : { after: other }),
      label: () => asked(as, 'PATCH', path, { labels: [`L${b % 4}`, 'Other'] }),
      complete: () => to(`${path}/complete`, { subtasks: b % 2 ? 'complete' : 'keep' }),
      skip: () => to(`${path}/skip`),
      undo: async () => {
        const [last] = (await asked(as, 'GET', `${path}/completions`))?.items ?? []
        if (last) await asked(as, 'DELETE', `${path}/completions/${last.id}?force=true`)
      },
      cancel: () => asked(as, 'PATCH', path, { status: b % 2 ? 'cancelled' : 'in_progress' }),
      reopen: () => to(`${path}/reopen`),
      trash: () => asked(as, 'DELETE', path),
      restore: () => to(`${path}/restore`),
      erase: () => (b % 4 ? Promise.resolve() : asked(as, 'DELETE', `${path}?permanent=true`)),
      project: async () => {
        const made = await to('/api/tasks/projects', { name: `${start} ${a % 5}`, color: '#3366cc', notes: 'p' })
        pools.projects.push(made?.id ?? '')
      },
      section: async () => {
        const made = await to('/api/tasks/sections', { project_id: project, name: `s ${b % 3}` })
        pools.sections.push(made?.id ?? '')
      },
      inProject: () =>
        to(`${path}/move`, b % 2 ? { parent_id: null, section_id: section } : { parent_id: null, project_id: project }),
      archive: () =>
        asked(as, 'PATCH', `/api/tasks/projects/${project}`, { archived_at: '2026-01-01T00:00:00.000Z', after: null }),
      trashProject: () => asked(as, 'DELETE', `/api/tasks/projects/${project}?tasks=inbox`),
      trashWithTasks: () => asked(as, 'DELETE', `/api/tasks/projects/${project}?tasks=trash`),
      restoreProject: () => to(`/api/tasks/projects/${project}/restore`),
      trashSection: () => asked(as, 'DELETE', `/api/tasks/sections/${section}`),
      renameLabel: () => asked(as, 'PATCH', `/api/tasks/labels/${label}`, { name: `l${b % 6}`, color: '#112233' }),
      trashLabel: () => (b % 2 ? Promise.resolve() : asked(as, 'DELETE', `/api/tasks/labels/${label}`)),
      filter: () => to('/api/tasks/filters', { name: `f ${b}`, filter: 'today or !p1', sort: '-due' }),
      trashFilter: async () => {
        const first = (await asked(as, 'GET', '/api/tasks/filters')).items[0]
        if (first) await asked(as, 'DELETE', `/api/tasks/filters/${first.id}`)
      },
      note: async () => {
        const note = await to('/api/notes', { title: 'N', body: '' })
        await asked(as, 'PATCH', path, { note_ids: [note?.id] })
      },
      import: () => calendar(world, as, `${start} ${n}`),
    }
    await acts[what]()
    if (what === 'import' || what === 'label') Object.assign(pools, await poolsOf(world, as))
  }
}

const ANY = '01890000-0000-7000-8000-000000000000'
const pick = (ids: readonly string[], n: number) => ids[n % Math.max(ids.length, 1)] || ANY

/** The ids of what there is. */
async function poolsOf({ asked }: TaskArchiveWorld, as: As) {
  const ids = async (path: string) => {
    const pages = await Promise.all(
      ['false', 'true'].map((trashed) => asked(as, 'GET', `${path}?limit=200&trashed=${trashed}`)),
    )
    return pages.flatMap((page) => page.items.map(({ id }: Shown): string => id))
  }
  return {
    tasks: await ids('/api/tasks'),
    projects: await ids('/api/tasks/projects'),
    sections: await ids('/api/tasks/sections'),
    labels: await ids('/api/tasks/labels'),
  }
}

function dates(n: number): object {
  const date = `2026-03-${String(1 + (n % 28)).padStart(2, '0')}`
  if (n % 4 === 0) return { due: day(date) }
  if (n % 4 === 1) return { due: null }
  const due = { date, time: '09:30', time_zone: n % 4 === 2 ? null : 'Europe/Lisbon' }
  return { due, start: day('2026-03-01'), reminders: [{ at: '2026-03-01T08:00:00.000Z' }, { offset_minutes: -30 }] }
}

function repeating(n: number): object {
  if (n % 8 === 6)
    return { recurrence: { rrule: 'FREQ=HOURLY;INTERVAL=5', exdates: ['2026-03-09', '2026-03-07T14:30'] } }
  const rrule = ['FREQ=DAILY', 'FREQ=WEEKLY;COUNT=3', 'FREQ=MONTHLY;BYMONTHDAY=31', 'FREQ=DAILY;UNTIL=20260402;'][n % 4]
  return { recurrence: { rrule, mode: n % 3 ? 'schedule' : 'completion', exdates: ['2026-03-09', '2026-03-05'] } }
}

async function calendar({ app }: TaskArchiveWorld, as: As, uid: string): Promise<void> {
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VTODO', `UID:${uid}`, 'SUMMARY:Imported', 'PRIORITY:2']
  const rest = ['LOCATION:Here', 'DUE;VALUE=DATE:20260310', 'RRULE:FREQ=WEEKLY', 'END:VTODO', 'END:VCALENDAR', '']
  const request = new Request('http://localhost/api/tasks/import', {
    method: 'POST',
    headers: { 'Content-Type': 'text/calendar', 'X-API-Key': as.key ?? '' },
    body: [...lines, ...rest].join('\r\n'),
  })
  const { status } = await app.handle(request)
  if (status !== 200) throw new Error(`import: ${status}`)
}
