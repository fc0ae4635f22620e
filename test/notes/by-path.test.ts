import { afterAll, describe, expect, test } from 'bun:test'
import { makeNotesWorld } from './support'

const world = await makeNotesWorld()
afterAll(world.close)

/** A caller who reads notes by their paths. The path goes into the address as given. */
function reader() {
  const as = world.stranger()
  return {
    as,
    note: async (title: string, folder: string | null = null): Promise<string> =>
      (await world.call(as, 'POST', '/api/notes', { title, folder })).body.id,
    read: (path: string, headers = {}) => world.call(as, 'GET', `/api/notes/by-path/${path}`, undefined, headers),
  }
}

const NFC = 'Übersicht'.normalize('NFC')
const NFD = NFC.normalize('NFD')

describe('a note is read by its path', () => {
  test.each([
    ['in the root', null, 'Budget', 'Budget'],
    ['in nested folders', 'Work/Plans', 'Budget 2', 'Work/Plans/Budget%202'],
    ['whose slashes are encoded', 'Work/Plans', 'Budget', 'Work%2FPlans%2fBudget'],
    ['with .md at the end', 'Work', 'Budget', 'Work/Budget.md'],
    ['in another case', 'Work', 'Straße', 'WORK/strasse.MD'],
    ['stored in NFC and asked for in NFD', NFC, NFC, `${encodeURIComponent(NFD)}/${encodeURIComponent(NFD)}`],
    ['stored in NFD and asked for in NFC', NFD, NFD, encodeURIComponent(`${NFC}/${NFC}.md`)],
    ['whose title holds a slash', 'Work', 'a/b', 'Work/a/b'],
    ['whose title holds a slash, in the root', null, 'a/b', 'a/b'],
    ['whose title ends in .md', null, 'read.md', 'read.md'],
    ['with signs that addresses mean something by', 'A & B', '50% #1 ?', encodeURIComponent('A & B/50% #1 ?')],
  ])('%s', async (_, folder, title, path) => {
    const me = reader()
    const id = await me.note(title, folder)
    await me.note('Other', folder)
    const { status, body } = await me.read(path)
    expect([status, body.id, body.title]).toEqual([200, id, title])
  })

  test('with the ETag of the note, as Markdown and as HTML too, and 304', async () => {
    const me = reader()
    const id = await me.note('Plan', 'Work')
    const direct = await world.call(me.as, 'GET', `/api/notes/${id}`)
    const etag = direct.headers.get('etag') ?? ''
    const byPath = await me.read('Work/Plan')
    expect([byPath.headers.get('etag'), byPath.body]).toEqual([etag, direct.body])
    expect((await me.read('work/plan.md', { 'If-None-Match': etag })).status).toBe(304)
    for (const type of ['text/markdown', 'text/html']) {
      const [one, other] = await Promise.all([
        me.read('Work/Plan', { Accept: type }),
        world.call(me.as, 'GET', `/api/notes/${id}`, undefined, { Accept: type }),
      ])
      expect([one.headers.get('etag'), one.headers.get('content-type')]).toEqual([
        other.headers.get('etag'),
        other.headers.get('content-type'),
      ])
    }
  })

  test('of two notes at a path the oldest is read, as links do', async () => {
    const me = reader()
    const first = await me.note('Plan', 'Work')
    await me.note('plan', 'WORK')
    expect((await me.read('work/plan')).body.id).toBe(first)
  })
})

describe('nothing is at', () => {
  test.each([
    ['a title in another folder', 'Plan'],
    ['the end of the path', 'Plans/Plan'],
    ['a path with an empty part', 'Work//Plans/Plan'],
    ['an absolute path', '/Work/Plans/Plan'],
    ['a path upwards', 'Work/%2E%2E%2FWork/Plans/Plan'],
    ['a backslash', 'Work%5CPlans%5CPlan'],
    ['NUL', 'Work/Plans/Plan%00'],
    ['the id', 'note:01890000-0000-7000-8000-000000000000'],
    ['ten thousand signs', 'a/'.repeat(5000)],
    ['a pattern', 'Work/Plans/%25'],
    ['.md alone', '.md'],
  ])('%s', async (_, path) => {
    const me = reader()
    await me.note('Plan', 'Work/Plans')
    const { status, body } = await me.read(path)
    expect([status, body.code]).toEqual([404, 'not_found'])
  })

  test('the path of a note in the trash, nor of one of another workspace, nor the former path of one', async () => {
    const [me, other] = [reader(), reader()]
    const id = await me.note('Plan', 'Work')
    expect((await other.read('Work/Plan')).status).toBe(404)
    await world.call(me.as, 'PATCH', `/api/notes/${id}`, { folder: 'Home' })
    expect([(await me.read('Work/Plan')).status, (await me.read('Home/Plan')).status]).toEqual([404, 200])
    await world.call(me.as, 'DELETE', `/api/notes/${id}`)
    expect((await me.read('Home/Plan')).status).toBe(404)
  })
})

test('a path that is not UTF-8 is refused', async () => {
  const { status, body } = await reader().read('Work/%ff')
  expect([status, body.code]).toEqual([400, 'invalid_request'])
})
