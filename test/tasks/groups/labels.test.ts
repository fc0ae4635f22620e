import { afterAll, describe, expect, test } from 'bun:test'
import { makeListsWorld, pick } from './support'

const world = await makeListsWorld()
afterAll(world.close)
const { stranger } = world

describe('labels', () => {
  test('are made by first use, once in any case, and counted', async () => {
    const me = stranger()
    const first = await me.make('tasks', { title: 'a', labels: ['Bills', 'BILLS', 'A\u0308rger'] })
    expect(first.labels).toEqual(['Bills', 'Ärger'])
    expect((await me.make('tasks', { title: 'b', labels: ['bills'] })).labels).toEqual(['Bills'])
    const labels = await me.all('labels')
    expect(labels.map(({ name, count }) => [name, count])).toEqual([
      ['Bills', 2],
      ['Ärger', 1],
    ])
    const { status, body } = await me.ask('POST', '/api/tasks', { title: 'c', labels: ['fine', 'x'.repeat(101)] })
    expect([status, body.errors[0].pointer]).toEqual([400, '/labels/1'])
    expect(await me.all('labels')).toHaveLength(2)
  })

  test('renamed are renamed in their tasks, also in the trash, each at its next revision', async () => {
    const me = stranger()
    const one = await me.make('tasks', { title: 'one', labels: ['x', 'bills', 'y'] })
    const gone = await me.make('tasks', { title: 'gone', labels: ['bills'] })
    const other = await me.make('tasks', { title: 'other', labels: ['x'] })
    await me.drop('tasks', gone.id)
    const [bills, x] = await me.all('labels')
    const renamed = await me.change('labels', bills.id, { name: 'Invoices' })
    expect(renamed.body).toMatchObject({ name: 'Invoices', count: 1, revision: 2 })
    expect(await me.get('tasks', one.id)).toMatchObject({ labels: ['x', 'Invoices', 'y'], revision: 2 })
    expect(await me.get('tasks', gone.id)).toMatchObject({ labels: ['Invoices'], revision: 3 })
    expect(await me.get('tasks', other.id)).toEqual(other)
    expect((await me.change('labels', bills.id, { name: 'X' })).body).toMatchObject({
      code: 'conflict',
      existing_id: x.id,
    })
    await me.change('labels', bills.id, { name: 'INVOICES' })
    expect((await me.get('tasks', one.id)).labels).toEqual(['x', 'INVOICES', 'y'])
    await me.change('labels', bills.id, { color: '#000000' })
    expect((await me.get('tasks', one.id)).revision).toBe(3)
  })

  test('dropped leave their tasks and come back on none; their name may be used anew', async () => {
    const me = stranger()
    const task = await me.make('tasks', { title: 'one', labels: ['a', 'b'] })
    const [a, b] = await me.all('labels')
    await me.drop('labels', a.id)
    expect(await me.get('tasks', task.id)).toMatchObject({ labels: ['b'], revision: 2 })
    expect((await me.restore('labels', a.id)).body.count).toBe(0)
    expect((await me.get('tasks', task.id)).labels).toEqual(['b'])
    await me.drop('labels', b.id, '?permanent=true')
    expect(await me.get('tasks', task.id)).toMatchObject({ labels: [], revision: 3 })
    await me.drop('labels', a.id)
    await me.change('tasks', task.id, { labels: ['A'] })
    expect(pick(await me.all('labels'), 'name')).toEqual(['A'])
    expect((await me.restore('labels', a.id)).status).toBe(409)
  })

  test('are listed by name without case', async () => {
    const me = stranger()
    for (const name of ['b', 'C', 'a', 'D']) await me.make('labels', { name })
    expect(pick(await me.all('labels'), 'name')).toEqual(['a', 'b', 'C', 'D'])
  })
})

describe('sections', () => {
  test('belong to a project that is there, and their names and order are its own', async () => {
    const me = stranger()
    const [one, two] = [await me.make('projects', { name: 'one' }), await me.make('projects', { name: 'two' })]
    const a = await me.make('sections', { project_id: one.id, name: 'a' })
    const b = await me.make('sections', { project_id: two.id, name: 'A' })
    expect((await me.change('sections', b.id, { after: a.id })).body.errors[0].code).toBe('not_a_sibling')
    expect(pick(await me.all('sections', `&project_id=${two.id}`), 'id')).toEqual([b.id])
    await me.drop('projects', two.id)
    const refused = await me.ask('POST', '/api/tasks/sections', { project_id: two.id, name: 'c' })
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/project_id'])
    expect((await me.change('sections', a.id, { project_id: two.id })).status).toBe(400)
  })

  test('dropped leave their tasks in the project, behind the others and in their order', async () => {
    const me = stranger()
    const project_id = (await me.make('projects', { name: 'Home' })).id
    const section = await me.make('sections', { project_id, name: 'Garden' })
    const first = await me.make('tasks', { title: 'first', section_id: section.id })
    await me.make('tasks', { title: 'second', section_id: section.id })
    const part = await me.make('tasks', { title: 'part', parent_id: first.id })
    await me.make('tasks', { title: 'before', project_id })
    await me.drop('sections', section.id)
    const tasks = await me.tasks()
    expect(pick(tasks, 'section_id')).toEqual([null, null, null, null])
    expect(pick(tasks, 'project_id')).toEqual(Array(4).fill(project_id))
    const whole = tasks.filter(({ parent_id }) => parent_id === null)
    expect(pick(whole, 'title')).toEqual(['before', 'first', 'second'])
    expect((await me.get('tasks', part.id)).parent_id).toBe(first.id)
    await me.restore('sections', section.id)
    expect(pick(await me.tasks(), 'section_id')).toEqual([null, null, null, null])
  })
})

test('a saved filter keeps its text and its order of tasks, or none', async () => {
  const me = stranger()
  const made = await me.make('filters', { name: 'Now', filter: 'today or overdue', sort: '-priority' })
  expect(made).toMatchObject({ filter: 'today or overdue', sort: '-priority' })
  const changed = await me.change('filters', made.id, { filter: 'today', sort: null })
  expect(changed.body).toMatchObject({ filter: 'today', sort: null, revision: 2 })
  for (const body of [{ filter: 'x'.repeat(1001) }, { sort: 'size' }, { filter: null }])
    expect((await me.change('filters', made.id, body)).status).toBe(400)
})
