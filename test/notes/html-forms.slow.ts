import { afterAll, expect, test } from 'bun:test'
import type { As } from '../support/world'
import { makeNotesWorld } from './support'

const world = await makeNotesWorld()
afterAll(world.close)

const ID = '01890000-0000-7000-8000-000000000001'

/** 270 KB of what takes marked long: emphasis, links and code in every line. */
const LONG = Array.from(
  { length: 2900 },
  (_, n) =>
    `- *${n}* **bold _and_ thin** [a](https://example.org/${n}) \`code\` [[Note ${n % 9}|here]] ~~gone~~ text.\n`,
).join('')

async function put(me: As, body: string): Promise<string> {
  const { status, body: note } = await world.call(me, 'POST', '/api/notes', { id: ID, title: 'T', body })
  expect(status).toBe(201)
  return note.id
}

async function html(me: As, id = ID): Promise<{ etag: string | null; body: string }> {
  const answer = await world.call(me, 'GET', `/api/notes/${id}`, undefined, { Accept: 'text/html' })
  expect(answer.status).toBe(200)
  return { etag: answer.headers.get('etag'), body: answer.body }
}

const isFallback = (text: string) => text.startsWith('<pre data-fallback')

/** Processes that keep every processor busy, each for at most 20 s of its time. */
function makeLoad(processes: number) {
  const children = Array.from({ length: processes }, () =>
    Bun.spawn(['sh', '-c', 'ulimit -t 20; while :; do :; done'], { stdout: 'ignore', stderr: 'ignore' }),
  )
  return async () => {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(children.map(({ exited }) => exited))
  }
}

test('a note of 270 KB is rendered however busy the machine is', async () => {
  const me = world.stranger()
  expect(LONG.length).toBeGreaterThan(270_000)
  const id = await put(me, LONG)
  // Starting the worker is no part of it.
  await html(me, (await world.call(me, 'POST', '/api/notes', { body: 'a' })).body.id)
  const end = makeLoad(3 * navigator.hardwareConcurrency)
  try {
    const { body } = await html(me, id)
    expect(isFallback(body)).toBe(false)
    expect(body.split('<li>')).toHaveLength(2901)
  } finally {
    await end()
  }
})
