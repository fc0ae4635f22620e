import { describe, expect, test } from 'bun:test'
import { brokenOff, makeLongWorld } from '../support/long-changes'
import { contradictions } from '../support/recount'
import { recounted } from '../support/recounted'
import { type As, stranger } from '../support/world'

/** Tasks, projects, sections and labels that reach more tasks than one transaction changes. */

const world = recounted(await makeLongWorld())
// Of all that the tests here have changed by then, which is all there: to look costs as much as to change it.

const FEW = 21
const MANY = 240
const TREES = 3

interface Made {
  readonly project: string
  readonly section: string
  readonly label: string
  /** A task with two thirds of all as parts of its parts. */
  readonly task: string
}

/** Tasks in a section of a project, with a label; a third of them by themselves, the others in a tree. */
async function filled(me: As, count: number, { ok } = world): Promise<Made> {
  const make = async (path: string, body: object): Promise<string> => (await ok(me, 'POST', path, body)).body.id
  const project = await make('/api/tasks/projects', { name: 'P' })
  const section = await make('/api/tasks/sections', { name: 'S', project_id: project })
  const whole = { project_id: project, section_id: section, labels: ['old'] }
  const task = await make('/api/tasks', { title: 'Top', ...whole })
  const parts: string[] = []
  for (let i = 0; i < TREES; i++)
    parts.push(await make('/api/tasks', { title: 'Part', parent_id: task, labels: ['old'] }))
  const rest = Array.from({ length: count - 1 - TREES }, (_, i) => {
    const parent_id = parts[i % (TREES + 1)]
    return { op: 'create', data: { title: `t ${i}`, ...(parent_id ? { parent_id, labels: ['old', 'z'] } : whole) } }
  })
  for (let at = 0; at < rest.length; at += 100)
    await ok(me, 'POST', '/api/tasks/batch', { ops: rest.slice(at, at + 100) })
  const labels = (await ok(me, 'GET', '/api/tasks/labels')).body.items
  const label = labels.find(({ name }: { name: string }) => name === 'old').id
  return { project, section, label, task: `${task}` }
}

/** All tasks by their titles, as far as these requests change them. */
async function shown(me: As) {
  const tasks: object[] = []
  for (const trashed of ['', '&trashed=true'])
    for (let cursor = ''; ; ) {
      const { items, next_cursor } = (await world.ok(me, 'GET', `/api/tasks?limit=200&sort=created${trashed}${cursor}`))
        .body
      tasks.push(
        ...items.map(({ title, parent_id, project_id, section_id, labels, revision, deleted_at }: never) => {
          return { title, parent_id, project_id, section_id, labels, revision, isGone: deleted_at !== null }
        }),
      )
      if (next_cursor === null) break
      cursor = `&cursor=${next_cursor}`
    }
  return tasks as { project_id: string | null; section_id: string | null; labels: string[]; isGone: boolean }[]
}

type Change = readonly [method: string, path: string, body?: object]
const CHANGES: Readonly<Record<string, (made: Made) => readonly Change[]>> = {
  'a task goes': ({ task }) => [['DELETE', `/${task}`]],
  'a task goes and comes back': ({ task }) => [
    ['DELETE', `/${task}`],
    ['POST', `/${task}/restore`],
  ],
  'a task is erased': ({ task }) => [['DELETE', `/${task}?permanent=true`]],
  'a project goes, its tasks to the inbox': ({ project }) => [['DELETE', `/projects/${project}`]],
  'a project goes with its tasks, and comes back': ({ project }) => [
    ['DELETE', `/projects/${project}?tasks=trash`],
    ['POST', `/projects/${project}/restore`],
  ],
  'a project goes, its tasks to the inbox, and both come back': ({ project }) => [
    ['DELETE', `/projects/${project}`],
    ['POST', `/projects/${project}/restore`],
  ],
  'a project is erased': ({ project }) => [['DELETE', `/projects/${project}?permanent=true`]],
  'a project is erased, its tasks go': ({ project }) => [['DELETE', `/projects/${project}?permanent=true&tasks=trash`]],
  'a project is erased out of the trash': ({ project }) => [
    ['DELETE', `/projects/${project}?tasks=trash`],
    ['DELETE', `/projects/${project}?permanent=true`],
  ],
  'a section goes': ({ section }) => [['DELETE', `/sections/${section}`]],
  'a section is erased': ({ section }) => [['DELETE', `/sections/${section}?permanent=true`]],
  'a label goes': ({ label }) => [['DELETE', `/labels/${label}`]],
  'a label is erased': ({ label }) => [['DELETE', `/labels/${label}?permanent=true`]],
  'a label gets another name': ({ label }) => [['PATCH', `/labels/${label}`, { name: 'new' }]],
}

describe.each(Object.entries(CHANGES))('%s', (_, changes) => {
  test('in steps where there are many, in one transaction where there are few: every task alike', async () => {
    const kinds = new Map<number, Set<string>>()
    for (const count of [FEW, MANY]) {
      const me = stranger()
      const made = await filled(me, count)
      const known = new Map([...Object.entries(made)].map(([name, id]) => [id, name]))
      for (const [method, path, body] of changes(made)) {
        const answer = await world.later(me, method, `/api/tasks${path}`, body)
        expect([path, answer.status === 202]).toEqual([path, count === MANY])
        if (answer.status !== 202) continue
        const run = await world.ended(me, answer)
        expect([run.state, run.error, run.done > 50]).toEqual(['done', null, true])
      }
      const told = await shown(me)
      kinds.set(
        count,
        new Set(
          told.map(({ project_id, section_id, ...task }) => {
            const { title, parent_id, ...rest } = task as unknown as { title: string; parent_id: string | null }
            const kind = title.startsWith('t ') ? (parent_id ? 'part of a part' : 'alone') : title
            return JSON.stringify([kind, known.get(project_id ?? ''), known.get(section_id ?? ''), rest])
          }),
        ),
      )
    }
    expect(kinds.get(MANY)).toEqual(kinds.get(FEW))
  })
})

describe('a run that is stopped', () => {
  test.each([
    ['DELETE', 'task', ''],
    ['DELETE', 'task', '?permanent=true'],
    ['DELETE', 'project', ''],
    ['DELETE', 'project', '?tasks=trash'],
    ['DELETE', 'section', ''],
    ['DELETE', 'label', ''],
  ] as const)('%s of a %s%s contradicts nothing; the same request does the rest', async (method, what, query) => {
    const me = stranger()
    const made = await filled(me, MANY)
    const path = `/api/tasks${what === 'task' ? '' : `/${what}s`}/${made[what]}`
    expect((await world.cancelled(me, method, path + query)).done).toBeLessThan(MANY)
    expect((await world.ok(me, 'GET', path)).body.deleted_at).toBeNull()
    await world.ok(me, method, path + query)
    const { deleted_at } = (await world.call(me, 'GET', path)).body
    expect(deleted_at).not.toBeNull()
  })

  test.each(['?tasks=trash', ''])(
    'of a project that comes back after DELETE%s leaves it there, and the same request brings the rest',
    async (query) => {
      const me = stranger()
      const { project } = await filled(me, MANY)
      const before = await world.told(me)
      const inside = (await world.ok(me, 'GET', `/api/tasks/projects/${project}`)).body.open
      await world.ok(me, 'DELETE', `/api/tasks/projects/${project}${query}`)
      await world.cancelled(me, 'POST', `/api/tasks/projects/${project}/restore`)
      expect((await world.ok(me, 'GET', `/api/tasks/projects/${project}`)).body.deleted_at).toBeNull()
      await world.ok(me, 'POST', `/api/tasks/projects/${project}/restore`)
      expect(await world.told(me)).toEqual(before)
      expect((await world.ok(me, 'GET', `/api/tasks/projects/${project}`)).body.open).toBe(inside)
    },
  )

  test('of a label that gets another name does the rest when it is given the same name', async () => {
    const me = stranger()
    const { label } = await filled(me, MANY)
    const order = ['PATCH', `/api/tasks/labels/${label}`, { name: 'new' }] as const
    const answer = await world.later(me, ...order)
    await world.ok(me, 'DELETE', answer.headers.get('Location') ?? '')
    expect((await shown(me)).some(({ labels }) => labels.includes('old'))).toBe(true)
    await world.ok(me, ...order)
    const tasks = await shown(me)
    expect(tasks.every(({ labels }) => labels.includes('new') && !labels.includes('old'))).toBe(true)
  })

  test.each(['task', 'project', 'section', 'label'] as const)(
    'by a stop of the server, goes on: a %s',
    async (what) => {
      const me = stranger()
      const own = await makeLongWorld()
      const made = await filled(me, MANY, own)
      const path = `/api/tasks${what === 'task' ? '' : `/${what}s`}/${made[what]}`
      const { next, between, begun, run } = await brokenOff(own, me, 'DELETE', path)
      expect(between).toEqual([])
      expect(['waiting', 'running']).toContain(begun.state)
      expect(run).toMatchObject({ kind: what === 'task' ? 'task' : `task_${what}`, state: 'done' })
      expect((await next.ok(me, 'GET', path)).body.deleted_at).not.toBeNull()
      expect(await contradictions(next.folder)).toEqual([])
      await next.close()
    },
  )
})

test('what is refused is refused before anything is changed', async () => {
  const me = stranger()
  const { project, label, task } = await filled(me, MANY)
  const before = await world.told(me)
  const stale = { 'If-Match': '"99"' }
  for (const path of [`/${task}`, `/projects/${project}`, `/labels/${label}`])
    expect((await world.call(me, 'DELETE', `/api/tasks${path}`, undefined, stale)).body).toMatchObject({
      status: 412,
      current: { deleted_at: null },
    })
  const taken = await world.call(me, 'PATCH', `/api/tasks/labels/${label}`, { name: 'Z' })
  expect([taken.status, typeof taken.body.existing_id]).toEqual([409, 'string'])
  expect((await world.call(stranger(), 'DELETE', `/api/tasks/${task}`)).status).toBe(404)
  expect(await world.told(me)).toEqual(before)
  expect((await world.ok(me, 'GET', '/api/imports')).body.items).toEqual([])
})

test('what comes into a project while it goes, goes as well', async () => {
  const me = stranger()
  const { id } = (await world.ok(me, 'POST', '/api/tasks', { title: 'Older than all in it' })).body
  const { project } = await filled(me, MANY)
  const answer = await world.later(me, 'DELETE', `/api/tasks/projects/${project}?tasks=trash`)
  const where = answer.headers.get('Location') ?? ''
  while ((await world.ok(me, 'GET', where)).body.done === 0);
  await world.ok(me, 'POST', `/api/tasks/${id}/move`, { project_id: project })
  expect((await world.ended(me, answer)).state).toBe('done')
  expect((await world.ok(me, 'GET', `/api/tasks/${id}`)).body).toMatchObject({ project_id: project })
  expect((await shown(me)).every(({ isGone }) => isGone)).toBe(true)
})

test('what hangs on things in the trash goes ahead of them when it is emptied', async () => {
  const me = stranger()
  const { project, section, label, task } = await filled(me, MANY)
  for (const path of [`/labels/${label}`, `/sections/${section}`, `/${task}`, `/projects/${project}?tasks=trash`])
    await world.ok(me, 'DELETE', `/api/tasks${path}`)
  const emptied = await world.later(me, 'DELETE', '/api/trash?confirm=erase&type=task_project')
  expect((await world.ended(me, emptied)).result).toMatchObject({ resources: { task_project: 1 }, kept: [] })
  expect(await contradictions(world.folder)).toEqual([])
  // Its tasks are in the trash by themselves now.
  expect((await shown(me)).every(({ project_id, isGone }) => project_id === null && isGone)).toBe(true)
  await world.ok(me, 'DELETE', '/api/trash?confirm=erase')
  expect(await shown(me)).toEqual([])
  expect((await world.ok(me, 'GET', '/api/usage')).body.workspace.resources).toBe(1)
})
