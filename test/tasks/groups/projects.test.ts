import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../../support/full'
import { type Caller, makeListsWorld, pick } from './support'

const world = await makeListsWorld()
afterAll(world.close)
const { stranger } = world

/** A project with a task of its own, one in a section, one with a part, and one that is done; and a task in the inbox. */
async function filled() {
  const me = stranger()
  const inbox = await me.make('tasks', { title: 'in the inbox' })
  const project = await me.make('projects', { name: 'Home', color: '#3366cc', notes: 'N' })
  const place = { project_id: project.id }
  const section = await me.make('sections', { ...place, name: 'Garden' })
  const dig = await me.make('tasks', { title: 'dig', section_id: section.id })
  const paint = await me.make('tasks', { title: 'paint', ...place })
  const tape = await me.make('tasks', { title: 'tape', parent_id: paint.id })
  const swept = await me.make('tasks', { title: 'swept', status: 'done', ...place })
  return { me, project, section, inbox, dig, paint, tape, swept }
}

describe('a project', () => {
  test('counts its living tasks, and its ETag tells when the counts change', async () => {
    const { me, project, tape } = await filled()
    expect(await me.get('projects', project.id)).toMatchObject({ open: 3, done: 1, revision: 1 })
    const etag = async () => (await me.ask('GET', `/api/tasks/projects/${project.id}`)).headers.get('ETag')
    const before = await etag()
    await me.drop('tasks', tape.id)
    expect(await me.get('projects', project.id)).toMatchObject({ open: 2, done: 1, revision: 1 })
    expect(await etag()).not.toBe(before)
  })

  test('is archived and taken up again, and listed so', async () => {
    const me = stranger()
    const { id } = await me.make('projects', { name: 'Old' })
    await me.make('projects', { name: 'New' })
    const archived_at = '2026-03-01T00:00:00.000Z'
    expect((await me.change('projects', id, { archived_at })).body).toMatchObject({ archived_at, revision: 2 })
    const names = async (query: string) => pick(await me.all('projects', query), 'name')
    expect(await names('')).toEqual(['New'])
    expect(await names('&archived=true')).toEqual(['Old'])
    expect(await names('&archived=any')).toEqual(['Old', 'New'])
    expect((await me.change('projects', id, { archived_at: null })).body.archived_at).toBeNull()
    expect((await me.change('projects', id, { archived_at: '2026-02-30T00:00:00Z' })).status).toBe(400)
  })

  test('has a colour of six digits and notes of at most 64 KiB', async () => {
    const me = stranger()
    for (const color of ['red', '#fff', '#12345g', '#1234567'])
      expect((await me.ask('POST', '/api/tasks/projects', { name: 'x', color })).status).toBe(400)
    const notes = 'ä'.repeat(32 * 1024)
    const { id } = await me.make('projects', { name: 'x', color: '#3366CC', notes })
    expect((await me.change('projects', id, { notes: `${notes}x` })).status).toBe(400)
    expect((await me.change('projects', id, { notes: null, color: null })).body).toMatchObject({
      notes: '',
      color: null,
    })
  })
})

test('a project or a section of another workspace is a place for nothing', async () => {
  const { me, project, section } = await filled()
  const other = stranger()
  const own = await other.make('tasks', { title: 'own' })
  const move = (id: string, body: object) => other.ask('POST', `/api/tasks/${id}/move`, body)
  for (const body of [{ project_id: project.id }, { section_id: section.id }]) {
    const pointer = `/${Object.keys(body)[0]}`
    for (const refused of [
      await other.ask('POST', '/api/tasks', { title: 'T', ...body }),
      await other.change('tasks', own.id, body),
      await move(own.id, body),
    ])
      expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, pointer])
  }
  for (const refused of [
    await other.ask('POST', '/api/tasks/sections', { name: 'S', project_id: project.id }),
    await other.ask('POST', '/api/tasks/quick', { text: 'T', project_id: project.id }),
  ])
    expect([refused.status, refused.body.errors[0].code]).toEqual([400, 'unknown_project'])
  // Nor does one of the same id in another workspace keep a task or a section out of the trash here.
  const twin = await other.make('projects', { id: project.id, name: 'Twin' })
  const box = await other.make('sections', { id: section.id, project_id: twin.id, name: 'Box' })
  const placed = await other.make('tasks', { title: 'placed', section_id: box.id })
  await other.drop('tasks', placed.id)
  await other.drop('projects', twin.id)
  expect((await other.restore('sections', box.id)).status).toBe(409)
  expect((await other.restore('tasks', placed.id)).body).toMatchObject({ project_id: null, section_id: null })
  // And what is archived there can be added to here.
  await me.change('projects', project.id, { archived_at: null })
  await other.restore('projects', twin.id)
  await other.change('projects', twin.id, { archived_at: '2026-03-01T00:00:00.000Z' })
  const added = await me.ask('POST', '/api/tasks/quick', { text: 'T #Home', project_id: project.id })
  expect(added.body.task?.project_id).toBe(project.id)
  expect(pick((await me.ask('GET', `/api/tasks?project_id=${project.id}`)).body.items, 'title')).toContain('dig')
})

describe('dropping a project', () => {
  test('moves its tasks behind those of the inbox, section by section; they come back with it', async () => {
    const { me, project, section, paint, tape, dig } = await filled()
    await me.drop('projects', project.id)
    const tasks = await me.tasks()
    expect(pick(tasks, 'project_id')).toEqual(Array(5).fill(null))
    const whole = tasks.filter(({ parent_id }) => parent_id === null)
    expect(pick(whole, 'title')).toEqual(['in the inbox', 'paint', 'swept', 'dig'])
    expect(await me.get('tasks', tape.id)).toMatchObject({ parent_id: paint.id, project_id: null, revision: 2 })
    expect(await me.get('tasks', dig.id)).toMatchObject({ section_id: null, revision: dig.revision + 1 })
    expect(pick(await me.all('sections', '&trashed=true'), 'id')).toEqual([section.id])
    expect((await me.restore('sections', section.id)).status).toBe(409)
    expect((await me.restore('projects', project.id)).body).toMatchObject({ open: 3, done: 1, deleted_at: null })
    expect(pick(await me.all('sections'), 'id')).toEqual([section.id])
    expect(await me.get('tasks', dig.id)).toMatchObject({ project_id: project.id, section_id: section.id })
    expect(await me.get('tasks', tape.id)).toMatchObject({ project_id: project.id, parent_id: paint.id })
    const back = (await me.tasks()).filter(({ parent_id, section_id }) => parent_id === null && section_id === null)
    expect(pick(back, 'title').toSorted()).toEqual(['in the inbox', 'paint', 'swept'])
    expect(
      pick(
        back.filter(({ project_id }) => project_id !== null),
        'title',
      ),
    ).toEqual(['paint', 'swept'])
  })

  test('those come back that have not been moved since, with the parts that they have by now, and no others', async () => {
    const { me, project, section, inbox, dig, paint, swept } = await filled()
    const other = await me.make('projects', { name: 'Other' })
    const [early, late] = [
      await me.make('tasks', { title: 'early', project_id: project.id }),
      await me.make('tasks', { title: 'late', project_id: project.id }),
    ]
    await me.drop('tasks', late.id)
    await me.drop('projects', project.id)
    const move = (id: string, body: object) => me.ask('POST', `/api/tasks/${id}/move`, body)
    // Elsewhere and back again, below another task, out of sight: only what stayed in the inbox comes back.
    await move(swept.id, { project_id: other.id })
    await move(swept.id, { project_id: null })
    await move(early.id, { parent_id: inbox.id })
    const added = await me.make('tasks', { title: 'added', parent_id: paint.id })
    const fresh = await me.make('tasks', { title: 'fresh' })
    // A new order in the inbox, a new title, and the trash are no other place.
    await move(paint.id, { after: null })
    await me.change('tasks', paint.id, { title: 'paint it' })
    await me.drop('tasks', dig.id)
    expect((await me.restore('projects', project.id)).body).toMatchObject({ open: 3, done: 0 })
    const projectOf = async (id: string) => (await me.get('tasks', id)).project_id
    for (const { id } of [paint, added, late, dig]) expect(await projectOf(id)).toBe(project.id)
    for (const { id } of [swept, early, fresh, inbox]) expect(await projectOf(id)).toBeNull()
    expect((await me.get('tasks', late.id)).deleted_at).not.toBeNull()
    expect((await me.restore('tasks', dig.id)).body).toMatchObject({ project_id: project.id, section_id: section.id })
  })

  test('those that came back with an archive come back with it, too', async () => {
    const scratch = { address: '192.0.2.119' }
    const post = async (path: string, body: object) =>
      (await world.call(scratch, 'POST', `/api/tasks${path}`, body)).body
    const project = await post('/projects', { name: 'Home' })
    const section = await post('/sections', { name: 'Garden', project_id: project.id })
    const dig = await post('', { title: 'dig', section_id: section.id })
    const moved = await post('', { title: 'moved', project_id: project.id })
    await world.call(scratch, 'DELETE', `/api/tasks/projects/${project.id}`)
    const { as, ...me } = stranger()
    const adopted = await world.call({ ...as, ...scratch }, 'POST', '/api/workspace/adopt')
    expect(adopted.body.totals).toMatchObject({ created: 4, failed: 0 })
    const other = await me.make('projects', { name: 'Other' })
    await me.ask('POST', `/api/tasks/${moved.id}/move`, { project_id: other.id })
    expect((await me.restore('projects', project.id)).body).toMatchObject({ open: 1 })
    expect(await me.get('tasks', dig.id)).toMatchObject({ project_id: project.id, section_id: section.id })
    expect(await me.get('tasks', moved.id)).toMatchObject({ project_id: other.id })
  })

  test('what was in a section that is gone for good comes back into the project itself', async () => {
    const { me, project, section, dig } = await filled()
    await me.drop('projects', project.id)
    await me.drop('sections', section.id, '?permanent=true')
    await me.restore('projects', project.id)
    expect(await me.get('tasks', dig.id)).toMatchObject({ project_id: project.id, section_id: null })
  })

  test('that is erased is forgotten: another of the same id brings nothing back', async () => {
    for (const steps of [['', '?permanent=true'], ['?permanent=true']]) {
      const { me, project } = await filled()
      for (const query of steps) await me.drop('projects', project.id, query)
      await me.make('projects', { id: project.id, name: 'Another' })
      await me.drop('projects', project.id)
      expect((await me.restore('projects', project.id)).body).toMatchObject({ open: 0, done: 0 })
    }
  })

  test('and its return change nothing that undoing a completion needs', async () => {
    for (const query of ['', '?tasks=trash']) {
      const { me, project, paint } = await filled()
      const before = await me.get('tasks', paint.id)
      const { completion } = (await me.ask('POST', `/api/tasks/${paint.id}/complete`, { subtasks: 'complete' })).body
      await me.drop('projects', project.id, query)
      await me.restore('projects', project.id)
      expect((await me.ask('DELETE', `/api/tasks/${paint.id}/completions/${completion.id}`)).status).toBe(200)
      const { status, project_id, completed_at } = await me.get('tasks', paint.id)
      expect({ status, project_id, completed_at }).toEqual({
        status: before.status,
        project_id: project.id,
        completed_at: null,
      })
      expect(await me.get('projects', project.id)).toMatchObject({ open: 3, done: 1 })
    }
  })

  test('with its tasks into the trash, it brings all back as it was', async () => {
    const { me, project, tape, dig, swept, paint, section } = await filled()
    const alone = await me.make('tasks', { title: 'trashed before', project_id: project.id })
    await me.drop('tasks', alone.id)
    const before = await Promise.all([tape, dig, swept, paint].map(({ id }) => me.get('tasks', id)))
    await me.drop('projects', project.id, '?tasks=trash')
    expect(pick(await me.tasks(), 'title')).toEqual(['in the inbox'])
    expect(await me.get('projects', project.id)).toMatchObject({ open: 0, done: 0 })
    expect((await me.restore('projects', project.id)).body).toMatchObject({ open: 3, done: 1 })
    const after = await Promise.all([tape, dig, swept, paint].map(({ id }) => me.get('tasks', id)))
    const same = ({ revision: _, updated_at: __, ...rest }: { revision: number; updated_at: string }) => rest
    expect(after.map(same)).toEqual(before.map(same))
    expect(pick(await me.all('sections'), 'id')).toEqual([section.id])
    expect(pick(await me.tasks('trash'), 'id')).toEqual([alone.id])
    expect((await me.restore('tasks', alone.id)).body.project_id).toBe(project.id)
  })

  test('for good, it leaves its tasks in the trash, each with its parts', async () => {
    const { me, project, section, paint, tape, dig } = await filled()
    await me.drop('projects', project.id, '?tasks=trash')
    await me.drop('projects', project.id, '?permanent=true')
    expect((await me.ask('GET', `/api/tasks/sections/${section.id}`)).status).toBe(404)
    for (const { id } of [paint, tape, dig])
      expect(await me.get('tasks', id)).toMatchObject({
        project_id: null,
        section_id: null,
        deleted_at: expect.any(String),
      })
    await me.restore('tasks', paint.id)
    expect(await me.get('tasks', tape.id)).toMatchObject({ deleted_at: null, parent_id: paint.id })
    expect(await me.get('tasks', dig.id)).toMatchObject({ deleted_at: expect.any(String) })
    await me.restore('tasks', dig.id)
    expect(pick(await me.tasks(), 'title').toSorted()).toEqual(['dig', 'in the inbox', 'paint', 'tape'])
  })

  test('at once for good, its tasks go where the request says', async () => {
    for (const [query, living] of [
      ['', 5],
      ['&tasks=trash', 1],
    ] as const) {
      const { me, project } = await filled()
      expect((await me.drop('projects', project.id, `?permanent=true${query}`)).status).toBe(204)
      const tasks = await me.tasks('trash')
      expect(tasks).toHaveLength(5 - living)
      expect(pick(tasks, 'project_id')).toEqual(Array(5 - living).fill(null))
    }
  })

  test('a task that comes back before its project brings its parts, into the inbox', async () => {
    const { me, project, paint, tape } = await filled()
    await me.drop('projects', project.id, '?tasks=trash')
    expect((await me.restore('tasks', paint.id)).body.project_id).toBeNull()
    const alone = { deleted_at: null, parent_id: paint.id, project_id: null }
    expect(await me.get('tasks', tape.id)).toMatchObject(alone)
    await me.restore('projects', project.id)
    expect(await me.get('tasks', tape.id)).toMatchObject(alone)
  })

  test('a task that went into the trash again by itself stays there with its parts', async () => {
    const { me, project, paint, tape } = await filled()
    await me.drop('projects', project.id, '?tasks=trash')
    await me.restore('tasks', paint.id)
    await me.drop('tasks', paint.id)
    await me.restore('projects', project.id)
    for (const { id } of [paint, tape]) expect((await me.get('tasks', id)).deleted_at).not.toBeNull()
    await me.restore('tasks', paint.id)
    expect(await me.get('tasks', tape.id)).toMatchObject({ deleted_at: null, parent_id: paint.id })
  })

  test('what went along with a project does not come back with a task of the same id, nor the other way round', async () => {
    const { me, project, paint } = await filled()
    const twin = await me.make('tasks', { id: project.id, title: 'twin', project_id: project.id })
    const part = await me.make('tasks', { title: 'part', parent_id: twin.id })
    await me.drop('tasks', twin.id)
    await me.drop('projects', project.id, '?tasks=trash')
    await me.restore('projects', project.id)
    expect((await me.get('tasks', part.id)).deleted_at).not.toBeNull()
    await me.drop('projects', project.id, '?tasks=trash')
    await me.restore('tasks', twin.id)
    expect((await me.get('tasks', part.id)).deleted_at).toBeNull()
    expect((await me.get('tasks', paint.id)).deleted_at).not.toBeNull()
  })

  test('that is in the trash already changes nothing', async () => {
    const { me, project } = await filled()
    await me.drop('projects', project.id, '?tasks=trash')
    const before = await me.tasks('trash')
    expect((await me.drop('projects', project.id)).status).toBe(204)
    expect(await me.tasks('trash')).toEqual(before)
  })

  test('that cannot come back, since its name is taken, leaves all in the trash', async () => {
    const { me, project } = await filled()
    await me.drop('projects', project.id, '?tasks=trash')
    const other = await me.make('projects', { name: 'HOME' })
    const { status, body } = await me.restore('projects', project.id)
    expect([status, body.existing_id]).toEqual([409, other.id])
    expect(await me.tasks('trash')).toHaveLength(4)
  })

  test('any box, in any history, never loses a task', async () => {
    const op = fc.record({
      method: fc.constantFrom('drop', 'restore', 'make'),
      kind: fc.constantFrom('projects' as const, 'sections' as const, 'labels' as const, 'tasks' as const),
      which: fc.nat(5),
      query: fc.constantFrom('', '?tasks=trash', '?permanent=true', '?permanent=true&tasks=trash'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(op, { minLength: 5, maxLength: 16 }), async (ops) => {
        const { me, project, section, ...tasks } = await filled()
        const made = Object.values(tasks).map(({ id }) => id)
        const ids = { projects: [project.id], sections: [section.id], labels: [] as string[], tasks: made }
        await me.change('tasks', tasks.dig.id, { labels: ['a'] })
        ids.labels = pick(await me.all('labels'), 'id') as string[]
        for (const { method, kind, which, query } of ops) {
          const id = ids[kind][which % ids[kind].length] ?? ''
          if (method === 'restore') await me.restore(kind, id)
          else if (method === 'drop')
            await me.drop(
              kind,
              id,
              kind === 'projects' ? query : kind === 'tasks' ? '' : query.replace(/.tasks=trash/, ''),
            )
          else {
            const { status, body } = await me.ask('POST', '/api/tasks', {
              title: 't',
              project_id: project.id,
              labels: ['a'],
            })
            if (status === 201) made.push(body.id)
          }
        }
        await holds(me, made)
      }),
      { numRuns: runs(25) },
    )
  })
})

/** Every task is there; what is living is in a living box or none; parts are where their wholes are; the counts are right. */
async function holds(me: Caller, made: readonly string[]): Promise<void> {
  const tasks = await Promise.all(made.map((id) => me.get('tasks', id)))
  expect(pick(tasks, 'id')).toEqual([...made])
  const living = tasks.filter(({ deleted_at }) => deleted_at === null)
  const byId = new Map(tasks.map((task) => [task.id, task]))
  for (const project of [...(await me.all('projects')), ...(await me.all('projects', '&trashed=true'))]) {
    const own = living.filter(({ project_id }) => project_id === project.id)
    const closed = own.filter(({ status }) => status === 'done').length
    expect([project.open, project.done]).toEqual([own.length - closed, closed])
  }
  const boxes = new Set([...pick(await me.all('projects'), 'id'), ...pick(await me.all('sections'), 'id'), null])
  for (const { project_id, section_id, parent_id } of living) {
    expect([boxes.has(project_id), boxes.has(section_id)]).toEqual([true, true])
    const whole = parent_id && byId.get(parent_id)
    if (whole) expect([whole.deleted_at, whole.project_id, whole.section_id]).toEqual([null, project_id, section_id])
  }
  for (const label of await me.all('labels'))
    expect(label.count).toBe(living.filter(({ labels }) => labels.includes(label.name)).length)
}
