import { describe, expect, test } from 'bun:test'
import { recounted } from '../support/recounted'
import type { As } from '../support/world'
import { day, makeTasksWorld, type Shown } from './support'

/** Lists by parameters, with parts, and without what is archived, as clients ask for them. */

const world = recounted(await makeTasksWorld({ API_LIMIT_PER_HOUR: '1000000' }))
const { call, make, stranger } = world

const NOBODY = '01890000-0000-7000-8000-00000000ffff'
const ids = (items: readonly Shown[]) => items.map(({ id }) => id)
const titles = (items: readonly Shown[]) => items.map(({ title }) => title)

async function list(me: As, query: string): Promise<Shown[]> {
  const { status, body } = await call(me, 'GET', `/api/tasks?${query}`)
  if (status !== 200) throw new Error(`${query}: ${JSON.stringify(body)}`)
  return body.items
}

const post = async (me: As, path: string, body: object): Promise<Shown> => {
  const made = await call(me, 'POST', `/api/tasks${path}`, body)
  if (made.status !== 201) throw new Error(`${path}: ${JSON.stringify(made.body)}`)
  return made.body
}

describe('a list by parameters', () => {
  test('names what it wants; what is not there is not listed', async () => {
    const me = stranger()
    const project = await post(me, '/projects', { name: 'Work' })
    const section = await post(me, '/sections', { name: 'Next', project_id: project.id })
    const whole = await make(me, { title: 'Whole', project_id: project.id, labels: ['a', 'B'] })
    const part = await make(me, { title: 'Part', parent_id: whole.id })
    const placed = await make(me, { title: 'Placed', section_id: section.id, labels: ['a'] })
    const done = await make(me, { title: 'Done milk', status: 'done' })
    const gone = await make(me, { title: 'Gone' })
    await world.remove(me, gone.id)
    for (const [query, wanted] of [
      [`parent_id=${whole.id}`, [part]],
      [`project_id=${project.id}&sort=created`, [whole, part, placed]],
      [`section_id=${section.id}`, [placed]],
      ['label=A&sort=created', [whole, placed]],
      ['label=a&label=b', [whole]],
      ['status=done', [done]],
      ['status=open,done&sort=created', [whole, part, placed, done]],
      ['status=any&q=MILK', [done]],
      // By their ids, whatever their status, but never what is in the trash.
      [`ids=${gone.id},${done.id},${NOBODY},${part.id},${part.id}&sort=created`, [part, done]],
      [`ids=${done.id},${part.id}&status=open`, [part]],
      [`project_id=${project.id}&label=a&q=placed&status=open`, [placed]],
      ['filter=%40a&q=whole', [whole]],
      ...['parent_id', 'project_id', 'section_id', 'ids'].map((name) => [`${name}=${NOBODY}`, []] as const),
      ['label=nobody', []],
      ['label=a&label=nobody', []],
      ['q=nowhere', []],
      [`trashed=true&ids=${gone.id},${done.id}`, [gone]],
    ] as [string, Shown[]][])
      expect([query, ids(await list(me, query))]).toEqual([query, ids(wanted)])
    const other = stranger()
    for (const query of [`ids=${whole.id}`, `parent_id=${whole.id}`, `project_id=${project.id}`, 'label=a'])
      expect([query, await list(other, query)]).toEqual([query, []])
  })

  test.each([
    ...['parent_id', 'project_id', 'section_id'].flatMap((name) =>
      ['', 'x', 'null', NOBODY.toUpperCase(), `${NOBODY},${NOBODY}`, "'%20OR%201=1"].map((value) => [
        `${name}=${value}`,
        `/${name}`,
      ]),
    ),
    ...['', ',', 'x', `${NOBODY},`, `${NOBODY},%20${NOBODY}`, Array(201).fill(NOBODY).join()].map((value) => [
      `ids=${value}`,
      '/ids',
    ]),
    ...['', '%20', 'x'.repeat(101), 'a%0Ab'].map((value) => [`label=${value}`, '/label']),
    [Array(51).fill('label=a').join('&'), '/label'],
    ...['', 'closed', 'any,open', 'open,', 'Open', 'open,done,open,done,open'].map((value) => [
      `status=${value}`,
      '/status',
    ]),
    ...['', '%20%09', 'x'.repeat(1001)].map((value) => [`q=${value}`, '/q']),
    ...['', 'due,', 'size', 'due,due', 'due,-due', 'due,start,priority,title', '--due', 'due;title', 'Due'].map(
      (value) => [`sort=${value}`, '/sort'],
    ),
    ...['', '1', 'yes', 'TRUE'].map((value) => [`archived=${value}`, '/archived']),
    ...['', 'parts', 'subtasks,notes'].map((value) => [`include=${value}`, '/include']),
  ])('%s is refused', async (query, pointer) => {
    const { status, body } = await call(stranger(), 'GET', `/api/tasks?${query}`)
    expect([status, body.errors?.[0]?.pointer]).toEqual([400, pointer])
  })

  test('takes 200 ids, and no sign is a wildcard', async () => {
    const me = stranger()
    const { id } = await make(me, { title: "100%_* it's" })
    const query = `ids=${[id, ...Array(199).fill(NOBODY)].join()}`
    const response = await fetch(`${world.listen()}api/tasks?${query}`, { headers: { 'X-API-Key': me.key ?? '' } })
    expect(ids((await response.json()).items)).toEqual([id])
    for (const q of ['100%25', "it's", '100*']) expect(ids(await list(me, `q=${q}`))).toEqual([id])
    for (const q of ['1%25', '1__', 'i_', '1?0']) expect(ids(await list(me, `q=${q}`))).toEqual([])
  })

  test('goes by the sort of a saved filter, of several keys too', async () => {
    const me = stranger()
    for (const [title, priority] of [
      ['a', 1],
      ['b', 1],
      ['c', 0],
    ] as const)
      await make(me, { title, priority })
    const { id, sort } = await post(me, '/filters', { name: 'F', filter: 'open', sort: '-priority,-title' })
    expect(sort).toBe('-priority,-title')
    expect(titles(await list(me, `filter_id=${id}`))).toEqual(['c', 'b', 'a'])
    expect(titles(await list(me, `filter_id=${id}&sort=priority,title`))).toEqual(['a', 'b', 'c'])
    const refused = await call(me, 'POST', '/api/tasks/filters', { name: 'G', filter: 'open', sort: 'due,-due' })
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/sort'])
  })
})

describe('include=subtasks', () => {
  test('shows the direct parts by position, done ones too, and none from the trash', async () => {
    const me = stranger()
    const whole = await make(me, { title: 'Whole' })
    const parts: Shown[] = []
    for (const title of ['one', 'two', 'three']) parts.push(await make(me, { title, parent_id: whole.id }))
    const below = await make(me, { title: 'below', parent_id: parts[0].id })
    await world.act(me, parts[1].id, 'complete')
    await world.remove(me, parts[2].id)
    await world.act(me, parts[1].id, 'move', { after: null })
    const { body } = await call(me, 'GET', `/api/tasks/${whole.id}?include=subtasks`)
    expect(body.subtasks).toMatchObject({ total: 2, done: 1, more: false })
    expect(titles(body.subtasks.items)).toEqual(['two', 'one'])
    expect(body.subtasks.items[1]).toEqual(await world.read(me, parts[0].id))
    const listed = await list(me, 'include=subtasks&filter=!subtask')
    expect(listed).toEqual([body])
    expect(listed[0].subtasks.items[1].subtasks).toEqual({ total: 1, done: 0 })
    expect((await world.read(me, whole.id)).subtasks).toEqual({ total: 2, done: 1 })
    expect((await call(me, 'GET', `/api/tasks/${below.id}?include=subtasks`)).body.subtasks).toEqual({
      total: 0,
      done: 0,
      items: [],
      more: false,
    })
  })

  test('has an ETag of its own, which changes with a part, and is good for If-Match', async () => {
    const me = stranger()
    const whole = await make(me)
    const part = await make(me, { parent_id: whole.id })
    const path = `/api/tasks/${whole.id}`
    const etag = async (query = '') => (await call(me, 'GET', path + query)).headers.get('ETag') ?? ''
    const [plain, before] = [await etag(), await etag('?include=subtasks')]
    expect((await call(me, 'GET', `${path}?include=subtasks`, undefined, { 'If-None-Match': before })).status).toBe(304)
    expect((await call(me, 'GET', path, undefined, { 'If-None-Match': before })).status).toBe(200)
    await world.patch(me, part.id, { title: 'other' })
    expect(await etag()).toBe(plain)
    expect(await etag('?include=subtasks')).not.toBe(before)
    expect((await call(me, 'GET', `${path}?include=subtasks`, undefined, { 'If-None-Match': before })).status).toBe(200)
    expect((await world.patch(me, whole.id, { title: 'U' }, { 'If-Match': before })).status).toBe(200)
    expect((await world.patch(me, whole.id, { title: 'V' }, { 'If-Match': before })).status).toBe(412)
  })

  test('ends a page early, and a task with too many bytes of parts says so', async () => {
    const me = stranger()
    const create = (data: object) => ({ op: 'create', data })
    const batch = async (ops: object[]) => {
      for (let at = 0; at < ops.length; at += 20)
        expect((await call(me, 'POST', '/api/tasks/batch', { ops: ops.slice(at, at + 20) })).status).toBe(200)
    }
    const wholes: Shown[] = []
    for (let i = 0; i < 4; i++) wholes.push(await make(me, { title: `w ${i}`, priority: 1 }))
    const [first, second, third, heavy] = wholes
    for (const [{ id }, count] of [
      [first, 500],
      [second, 500],
      [third, 1],
    ] as const)
      await batch(Array.from({ length: count }, (_, i) => create({ title: `p ${i}`, parent_id: id })))
    await batch(
      Array.from({ length: 140 }, () => create({ title: 'heavy', notes: 'n'.repeat(64 * 1024), parent_id: heavy.id })),
    )
    const found: Shown[] = []
    const sizes: number[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = `include=subtasks&filter=p1&sort=title&limit=200${cursor && `&cursor=${cursor}`}`
      const { body } = await call(me, 'GET', `/api/tasks?${query}`)
      found.push(...body.items)
      sizes.push(body.items.length)
      cursor = body.next_cursor
    }
    expect(ids(found)).toEqual(ids(wholes))
    expect(sizes).toEqual([2, 2])
    expect(found.map(({ subtasks }) => [subtasks.items.length, subtasks.more])).toEqual([
      [500, false],
      [500, false],
      [1, false],
      [127, true],
    ])
  })
})

describe('a task of an archived project', () => {
  /** A task in an archived project and one in a living one, which are alike in everything else. */
  async function archive() {
    const me = stranger()
    const like = {
      due: day('2026-03-02'),
      start: day('2026-03-01'),
      labels: ['a'],
      reminders: [{ offset_minutes: 600 }],
    }
    const made: Record<string, Shown> = {}
    for (const name of ['Old', 'New']) {
      const { id } = await post(me, '/projects', { name })
      made[name] = { id }
      await make(me, { title: name, project_id: id, ...like })
      await make(me, { title: `${name} series`, project_id: id, ...like, recurrence: { rrule: 'FREQ=WEEKLY' } })
      await make(me, { title: `${name} past`, project_id: id, due: day('2026-02-01') })
    }
    await make(me, { title: 'Inbox', ...like })
    const patch = (archived_at: string | null) =>
      call(me, 'PATCH', `/api/tasks/projects/${made.Old.id}`, { archived_at })
    await patch('2026-03-01T00:00:00.000Z')
    return { me, old: made.Old.id as string, patch }
  }

  test('is in no list, unless it is asked for', async () => {
    const { me, old, patch } = await archive()
    const count = async (query: string) => {
      const shown = titles(await list(me, query))
      return [shown.length, shown.filter((title) => title.startsWith('Old')).length]
    }
    for (const query of ['', 'filter=due<=today', 'filter=%40a+or+overdue', 'filter=overdue', 'label=a', 'q=o'])
      expect([query, (await count(query))[1]]).toEqual([query, 0])
    for (const query of [`project_id=${old}`, 'filter=%23Old'])
      expect([query, await count(query)]).toEqual([query, [0, 0]])
    expect(await count('archived=any')).toEqual([7, 3])
    expect(await count('archived=true')).toEqual([3, 3])
    expect(await count('archived=false')).toEqual([4, 0])
    expect(await count(`project_id=${old}&archived=any`)).toEqual([3, 3])
    const [one] = await list(me, 'archived=true&limit=1')
    expect(ids(await list(me, `ids=${one.id}`))).toEqual([one.id])
    expect(await list(me, `ids=${one.id}&archived=false`)).toEqual([])
    expect((await world.read(me, one.id)).id).toBe(one.id)
    await world.remove(me, one.id)
    expect(ids(await list(me, 'trashed=true'))).toEqual([one.id])
    await patch(null)
    expect(await count('')).toEqual([6, 2])
  })

  test('is in no agenda, reminds nobody, is in no feed, and is not overdue', async () => {
    const { me, patch } = await archive()
    const { url } = await post(me, '/feeds', { name: 'All' })
    const shown = async (archived = '') => {
      const agenda = (await call(me, 'GET', `/api/tasks/agenda?from=2026-03-01&to=2026-03-20${archived}`)).body
      const items: Shown[] = agenda.days.flatMap((each: Shown) => each.items)
      const query = `from=2026-03-01T00:00:00.000Z&to=2026-03-20T00:00:00.000Z&limit=200${archived}`
      const reminders = (await call(me, 'GET', `/api/tasks/reminders?${query}`)).body.items.length
      const calendar = async (path: string): Promise<number> =>
        (await call(me, 'GET', path)).body.match(/SUMMARY:Old/g)?.length ?? 0
      const stats = (await call(me, 'GET', '/api/tasks/stats?from=2026-03-02&to=2026-03-02')).body
      return {
        due: titles(items).filter((title) => title.startsWith('Old')).length,
        projected: items.filter(({ title, projected }) => projected && title.startsWith('Old')).length,
        others: titles(items).filter((title) => !title.startsWith('Old')).length,
        overdue: titles(agenda.overdue),
        reminders,
        feed: await calendar(url),
        counted: stats.per_day[0].overdue,
      }
    }
    const hidden = await shown()
    expect(hidden).toMatchObject({ due: 0, projected: 0, overdue: ['New past'], feed: 0, counted: 1 })
    const asked = await shown('&archived=any')
    const only = await shown('&archived=true')
    await patch(null)
    const all = await shown()
    const { feed: _, counted: __, ...asList } = all
    expect(asked).toMatchObject(asList)
    expect(only).toMatchObject({ due: all.due, others: 0, overdue: ['Old past'], reminders: 4 })
    expect((await call(me, 'GET', '/api/tasks/agenda?archived=1')).status).toBe(400)
    expect((await call(me, 'GET', '/api/tasks/reminders?archived=')).status).toBe(400)
    expect(all).toMatchObject({ others: hidden.others, overdue: ['Old past', 'New past'], counted: 2 })
    expect(all.due).toBeGreaterThan(6)
    expect(all.projected).toBeGreaterThan(3)
    expect([all.reminders, hidden.reminders]).toEqual([9, 5])
    expect(all.feed).toBeGreaterThan(3)
  })

  test('is exported all the same', async () => {
    const { me } = await archive()
    const file: string = (await call(me, 'GET', '/api/tasks/export')).body
    expect(file.match(/SUMMARY:Old/g)).toHaveLength(3)
  })

  test('is not added to by quick add, which says so', async () => {
    const { me, old } = await archive()
    const quick = (body: object) => call(me, 'POST', '/api/tasks/quick', body)
    for (const create_missing of [false, true]) {
      const { status, body } = await quick({ text: 'Paint #old tomorrow', create_missing })
      expect(status).toBe(201)
      expect(body.task).toMatchObject({ title: 'Paint #old', project_id: null, due: { date: '2026-03-03' } })
      expect(body.warnings).toEqual([
        { start: 6, end: 10, text: '#old', code: 'archived_project', detail: 'the project of this name is archived' },
      ])
    }
    const refused = await quick({ text: 'Paint', project_id: old })
    expect([refused.status, refused.body.errors[0]]).toMatchObject([
      400,
      { pointer: '/project_id', code: 'archived_project' },
    ])
    expect((await quick({ text: 'Paint #new' })).body).toMatchObject({ task: { title: 'Paint' }, warnings: [] })
    expect((await make(me, { title: 'on purpose', project_id: old })).project_id).toBe(old)
  })
})
