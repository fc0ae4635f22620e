import { afterAll, expect, test } from 'bun:test'
import type { As } from '../support/world'
import { makeNotesWorld } from './support'

const world = await makeNotesWorld()
afterAll(world.close)

/** The ids that both workspaces use. */
const [TRIP, LIST, DIARY] = [1, 2, 3].map((n) => `01890000-0000-7000-8000-00000000000${n}`) as [string, string, string]

/** Every way to read notes, but for times and for the order of equal matches. */
const READS = [
  '?include=body&sort=title',
  '?trashed=true',
  '?tag=travel&source_system=files',
  ...['trip', '-nothing', 'tag:travel', 'folder:Work', '会議', 'is:daily'].map(
    (q) => `/search?q=${encodeURIComponent(q)}`,
  ),
  '/tags',
  '/folders',
  '/unresolved',
  '/daily/2026-03-02',
  ...[TRIP, LIST, DIARY].flatMap((id) =>
    ['', '/links', '/backlinks', '/backlinks?unlinked=true', '/outline', '/revisions', '/revisions/1'].map(
      (what) => `/${id}${what}`,
    ),
  ),
  `/${TRIP}/revisions/1/diff`,
]

async function reads(as: As): Promise<unknown[]> {
  const answers = []
  for (const path of READS) {
    const { status, body, headers } = await world.call(as, 'GET', `/api/notes${path}`)
    answers.push({ path, status, body: status < 400 ? body : body.code, etag: headers.get('etag') })
  }
  for (const Accept of ['text/html', 'text/markdown'])
    answers.push((await world.call(as, 'GET', `/api/notes/${LIST}`, undefined, { Accept })).body)
  answers.push(
    (await world.call(as, 'GET', '/api/changes')).body,
    (await world.call(as, 'GET', '/api/usage')).body.workspace,
  )
  return answers
}

/** The same ids, sources, titles, tags, folders and day, with another text. */
async function fill(as: As, text: string): Promise<void> {
  const post = (path: string, body: object) => world.call(as, 'POST', `/api/notes${path}`, body)
  const source = { system: 'files', id: 'trip.md' }
  const made = [
    await post('', { id: TRIP, title: 'Trip', body: `${text} 会議`, folder: 'Work', tags: ['travel'], source }),
    await post('', {
      id: LIST,
      title: 'List',
      body: `# ${text}\n\n[[Trip]], [[${text}]] and Trip #travel`,
      tags: ['Travel'],
    }),
    await post('', { id: DIARY, title: 'Diary', body: `Trip [[note:${TRIP}]]` }),
    await world.call(as, 'PUT', '/api/notes/daily/2026-03-02', { body: text }),
  ]
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201])
}

test('whatever another workspace does to notes of the same ids, sources, titles, tags and days, nothing here shows it', async () => {
  const [me, other] = [world.stranger(), world.stranger()]
  await fill(me, 'mine')
  const before = await reads(me)
  expect(JSON.stringify(before)).toContain('mine')

  await fill(other, 'theirs')
  expect(await reads(me)).toEqual(before)

  const call = (method: string, path: string, body?: object) => world.call(other, method, `/api/notes${path}`, body)
  const done = [
    await call('PATCH', `/${TRIP}`, { title: 'Journey', body: 'theirs again' }),
    await call('POST', `/${LIST}/edits`, {
      edits: [{ op: 'append', target: { document: true }, content: '[[mine]]' }],
    }),
    await call('POST', '/tags/rename', { from: 'travel', to: 'trips' }),
    await call('POST', '/folders/rename', { from: 'Work', to: 'Play' }),
    await call('PATCH', `/${TRIP}/revisions/1`, { label: 'theirs' }),
    await call('POST', '/batch', { ops: [{ op: 'delete', id: DIARY }] }),
    await call('DELETE', `/${LIST}?permanent=true`),
  ]
  expect(done.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 204])
  expect(await reads(me)).toEqual(before)
  expect(JSON.stringify(await reads(other))).not.toContain('mine]')
})
