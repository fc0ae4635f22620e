import { expect, test } from 'bun:test'
import { makeTasksWorld } from './support'

/** More than ten thousand lists beside each other, put there by SQL: to make them by requests takes long. */

const MANY = 10_001
const idOf = (n: number) => `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`
/** A position, and the next one: there is none of at most 200 characters between them. */
const FIRST = 'a0'
const TIGHT = `${FIRST}${'0'.repeat(200)}1`

/** A workspace with one project, Home, and a way to ask. */
async function makeHome() {
  const world = await makeTasksWorld()
  const me = world.stranger()
  const send = (method: string, path: string, body?: object) => world.call(me, method, `/api/tasks/${path}`, body)
  const home: string = (await send('POST', 'projects', { name: 'Home' })).body.id

  /** Puts many rows into a table, with columns that only this one has. */
  async function fill(table: string, own: Readonly<Record<string, string>>): Promise<void> {
    const names = Object.keys(own).map((name) => `, ${name}`)
    const values = Object.keys(own).map((_, i) => `, $${i + 2}`)
    await world.db.run(
      `WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${MANY})
       INSERT INTO ${table} (workspace, id, name, name_key, position, revision, created_at, updated_at, size_bytes${names.join('')})
       SELECT (SELECT workspace FROM task_projects WHERE id = $1), printf('01890000-0000-7000-8000-%012d', i),
         'n' || i, 'n' || i, 'b' || i, 1, 0, 0, 0${values.join('')} FROM numbers`,
      [home, ...Object.values(own)],
    )
  }

  return { ...world, send, home, fill }
}

const LISTS: [path: string, table: string, columns: Record<string, string>, body: object][] = [
  ['projects', 'task_projects', { notes: '' }, {}],
  ['sections', 'task_sections', {}, {}],
  ['filters', 'task_filters', { filter: 'today' }, { filter: 'today' }],
]

test.each(LISTS)(
  'of more than ten thousand %s none gets a place that moves all others',
  async (path, table, own, body) => {
    const { send, home, fill, db, close } = await makeHome()
    const inHome = path === 'sections' ? { project_id: home } : {}
    await fill(table, { ...own, ...inHome })
    for (const [i, position] of [FIRST, TIGHT].entries())
      await db.run(`UPDATE ${table} SET position = $1 WHERE id = $2`, [position, idOf(i)])
    for (const { status, body: refused } of [
      await send('PATCH', `${path}/${idOf(2)}`, { before: idOf(1) }),
      await send('POST', path, { ...body, ...inHome, name: 'new', before: idOf(1) }),
    ])
      expect([status, refused.code]).toEqual([409, 'too_many_affected'])
    expect((await send('GET', `${path}/${idOf(2)}`)).body.revision).toBe(1)
    await close()
  },
)

test('a project with more than ten thousand sections is neither deleted nor restored', async () => {
  const { send, home, fill, db, close } = await makeHome()
  await fill('task_sections', { project_id: home })
  const refused = await send('DELETE', `projects/${home}`)
  expect([refused.status, refused.body.code]).toEqual([409, 'too_many_affected'])
  await db.run('UPDATE task_projects SET deleted_at = 0 WHERE id = $1', [home])
  const kept = await send('POST', `projects/${home}/restore`)
  expect([kept.status, kept.body.code]).toEqual([409, 'too_many_affected'])
  await close()
})
